// An MCP server whose tool reads its arguments with encoding/json, which takes member names without regard to case, and answers
// with what it read.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type payment struct {
	Amount float64 `json:"amount"`
	Region string  `json:"region"`
	To     string  `json:"to"`
	Filter struct {
		Owner string `json:"owner"`
	} `json:"filter"`
}

type message struct {
	ID     *json.RawMessage `json:"id"`
	Method string           `json:"method"`
	Params struct {
		Arguments payment `json:"arguments"`
	} `json:"params"`
}

const tools = `{"tools":[{"name":"pay","inputSchema":{"type":"object","properties":{"amount":{"type":"number"},"region":{"type":"string"},"to":{"type":"string"},"note":{"type":"string"},"filter":{"type":"object","properties":{"owner":{"type":"string"}}}}}}]}`

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 64*1024), 8*1024*1024)
	for lines.Scan() {
		var asked message
		if json.Unmarshal(lines.Bytes(), &asked) != nil || asked.ID == nil {
			continue
		}
		switch asked.Method {
		case "initialize":
			answer(asked.ID, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"go","version":"1"}}`)
		case "tools/list":
			answer(asked.ID, tools)
		case "tools/call":
			read, _ := json.Marshal(asked.Params.Arguments)
			text, _ := json.Marshal(string(read))
			answer(asked.ID, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text))
		default:
			answer(asked.ID, `{}`)
		}
	}
}

func answer(id *json.RawMessage, result string) {
	fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", *id, result)
}
