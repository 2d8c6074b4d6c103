// Lists every tool and prompt at an MCP endpoint with the Go SDK, calls each tool, and prints what came of it as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type bearer struct{ key string }

func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := request.Clone(request.Context())
	sent.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(sent)
}

type report struct {
	Tools   []string    `json:"tools"`
	Prompts []string    `json:"prompts"`
	Failed  [][2]string `json:"failed"`
}

func run(ctx context.Context) (report, error) {
	found := report{Tools: []string{}, Prompts: []string{}, Failed: [][2]string{}}
	client := mcp.NewClient(&mcp.Implementation{Name: "zoo-go", Version: "1.0.0"}, nil)
	transport := &mcp.StreamableClientTransport{
		Endpoint:   os.Getenv("ZOO_URL"),
		HTTPClient: &http.Client{Transport: bearer{os.Getenv("ZOO_KEY")}},
	}
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return found, fmt.Errorf("connect: %w", err)
	}
	defer session.Close()
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return found, fmt.Errorf("tools: %w", err)
		}
		found.Tools = append(found.Tools, tool.Name)
	}
	for prompt, err := range session.Prompts(ctx, nil) {
		if err != nil {
			return found, fmt.Errorf("prompts: %w", err)
		}
		found.Prompts = append(found.Prompts, prompt.Name)
	}
	for _, name := range found.Tools {
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: map[string]any{}}); err != nil {
			found.Failed = append(found.Failed, [2]string{name, err.Error()})
		}
	}
	return found, nil
}

func main() {
	found, err := run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(found)
}
