//! Lists every tool and prompt at an MCP endpoint with rmcp, calls each tool, and prints what came of it as JSON.
use rmcp::{
    ServiceExt,
    model::CallToolRequestParams,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = StreamableHttpClientTransportConfig::with_uri(std::env::var("ZOO_URL")?)
        .auth_header(std::env::var("ZOO_KEY")?);
    let client = ().serve(StreamableHttpClientTransport::from_config(config)).await?;
    let tools: Vec<String> =
        client.list_all_tools().await?.into_iter().map(|tool| tool.name.to_string()).collect();
    let prompts: Vec<String> =
        client.list_all_prompts().await?.into_iter().map(|prompt| prompt.name.to_string()).collect();
    let mut failed: Vec<(String, String)> = Vec::new();
    for name in &tools {
        let request = CallToolRequestParams::new(name.clone()).with_arguments(serde_json::Map::new());
        if let Err(error) = client.call_tool(request).await {
            failed.push((name.clone(), error.to_string()));
        }
    }
    println!("{}", serde_json::json!({ "tools": tools, "prompts": prompts, "failed": failed }));
    client.cancel().await?;
    Ok(())
}
