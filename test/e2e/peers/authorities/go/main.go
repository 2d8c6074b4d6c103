// An MCP server with its OAuth server, on two loopback ports. The server is set up as the example auth/server of the Go SDK
// (RequireBearerToken, ProtectedResourceMetadataHandler, introspection between the two). The SDK has no authorization server: this one
// writes its documents with the SDK's own types (oauthex), as the SDK's tests do. Access tokens live for a few seconds, so that they are
// renewed. The first line printed is JSON: the server's address, and where counts are.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const (
	life  = 3 * time.Second
	scope = "user"
)

type client struct {
	oauthex.ClientRegistrationResponse
}

type code struct{ client, redirect, challenge, resource string }

type token struct {
	client, resource string
	ends             time.Time
}

type people struct {
	sync.Mutex
	own     string
	clients map[string]client
	codes   map[string]code
	access  map[string]token
	refresh map[string]token
	counts  struct {
		Codes       int `json:"codes"`
		Refreshes   int `json:"refreshes"`
		Revocations int `json:"revocations"`
	}
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	answer(w, status, map[string]string{"error": code})
}

func (p *people) metadata(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, &oauthex.AuthServerMeta{
		Issuer:                            p.own,
		AuthorizationEndpoint:             p.own + "/authorize",
		TokenEndpoint:                     p.own + "/token",
		RegistrationEndpoint:              p.own + "/register",
		RevocationEndpoint:                p.own + "/revoke",
		IntrospectionEndpoint:             p.own + "/introspect",
		ScopesSupported:                   []string{scope},
		ResponseTypesSupported:            []string{"code"},
		GrantTypesSupported:               []string{"authorization_code", "refresh_token"},
		TokenEndpointAuthMethodsSupported: []string{"client_secret_basic"},
		CodeChallengeMethodsSupported:     []string{"S256"},
	})
}

func (p *people) register(w http.ResponseWriter, r *http.Request) {
	var wanted oauthex.ClientRegistrationMetadata
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil || len(wanted.RedirectURIs) == 0 {
		answer(w, http.StatusBadRequest, &oauthex.ClientRegistrationError{ErrorCode: "invalid_client_metadata"})
		return
	}
	registered := client{oauthex.ClientRegistrationResponse{
		ClientRegistrationMetadata: wanted,
		ClientID:                   rand.Text(),
		ClientSecret:               rand.Text(),
		ClientIDIssuedAt:           time.Now(),
	}}
	p.Lock()
	p.clients[registered.ClientID] = registered
	p.Unlock()
	answer(w, http.StatusCreated, &registered.ClientRegistrationResponse)
}

// Its people agree without being asked.
func (p *people) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	p.Lock()
	defer p.Unlock()
	known, ok := p.clients[query.Get("client_id")]
	redirect := query.Get("redirect_uri")
	if !ok || !slices.Contains(known.RedirectURIs, redirect) || query.Get("code_challenge_method") != "S256" {
		http.Error(w, "invalid request", http.StatusBadRequest)
		return
	}
	value := rand.Text()
	p.codes[value] = code{known.ClientID, redirect, query.Get("code_challenge"), query.Get("resource")}
	back := url.Values{"code": {value}, "state": {query.Get("state")}, "iss": {p.own}}
	http.Redirect(w, r, redirect+"?"+back.Encode(), http.StatusFound)
}

// The client that a request proves to come from; "" for none.
func (p *people) proven(r *http.Request) string {
	id, secret, ok := r.BasicAuth()
	if known, there := p.clients[id]; ok && there && known.ClientSecret == secret {
		return id
	}
	return ""
}

func (p *people) token(w http.ResponseWriter, r *http.Request) {
	p.Lock()
	defer p.Unlock()
	id := p.proven(r)
	if id == "" {
		w.Header().Set("WWW-Authenticate", "Basic")
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		given, ok := p.codes[r.PostFormValue("code")]
		delete(p.codes, r.PostFormValue("code"))
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		proof := base64.RawURLEncoding.EncodeToString(sum[:])
		if !ok || given.client != id || given.challenge != proof || given.redirect != r.PostFormValue("redirect_uri") {
			refuse(w, http.StatusBadRequest, "invalid_grant")
			return
		}
		p.counts.Codes++
		p.give(w, id, given.resource)
	case "refresh_token":
		given, ok := p.refresh[r.PostFormValue("refresh_token")]
		if !ok || given.client != id {
			refuse(w, http.StatusBadRequest, "invalid_grant")
			return
		}
		delete(p.refresh, r.PostFormValue("refresh_token"))
		p.counts.Refreshes++
		p.give(w, id, given.resource)
	default:
		refuse(w, http.StatusBadRequest, "unsupported_grant_type")
	}
}

func (p *people) give(w http.ResponseWriter, id, resource string) {
	access, refresh := rand.Text(), rand.Text()
	p.access[access] = token{id, resource, time.Now().Add(life + time.Second)}
	p.refresh[refresh] = token{id, resource, time.Time{}}
	answer(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(life.Seconds()),
		"refresh_token": refresh, "scope": scope,
	})
}

func (p *people) revoke(w http.ResponseWriter, r *http.Request) {
	p.Lock()
	defer p.Unlock()
	if p.proven(r) == "" {
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	p.counts.Revocations++
	delete(p.access, r.PostFormValue("token"))
	delete(p.refresh, r.PostFormValue("token"))
	w.WriteHeader(http.StatusOK)
}

func (p *people) introspect(w http.ResponseWriter, r *http.Request) {
	p.Lock()
	defer p.Unlock()
	found, ok := p.access[r.PostFormValue("token")]
	if !ok || found.ends.Before(time.Now()) {
		answer(w, http.StatusOK, map[string]any{"active": false})
		return
	}
	answer(w, http.StatusOK, map[string]any{
		"active": true, "scope": scope, "exp": found.ends.Unix(), "sub": "ada", "aud": found.resource,
	})
}

// As the example of the SDK verifies tokens, and their audience besides.
func verifier(at, resource string) auth.TokenVerifier {
	return func(ctx context.Context, value string, _ *http.Request) (*auth.TokenInfo, error) {
		form := url.Values{"token": {value}, "token_type_hint": {"access_token"}}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(form.Encode()))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		var result struct {
			Active          bool
			Scope, Sub, Aud string
			Exp             int64
		}
		if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
			return nil, err
		}
		if !result.Active || result.Aud != resource {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{
			Scopes: strings.Fields(result.Scope), Expiration: time.Unix(result.Exp, 0), UserID: result.Sub,
		}, nil
	}
}

func bound() (net.Listener, string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	return listener, fmt.Sprintf("http://localhost:%d", listener.Addr().(*net.TCPAddr).Port)
}

func main() {
	atAuthority, authority := bound()
	atServer, server := bound()
	p := &people{
		own: authority, clients: map[string]client{}, codes: map[string]code{},
		access: map[string]token{}, refresh: map[string]token{},
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /.well-known/oauth-authorization-server", p.metadata)
	routes.HandleFunc("POST /register", p.register)
	routes.HandleFunc("GET /authorize", p.authorize)
	routes.HandleFunc("POST /token", p.token)
	routes.HandleFunc("POST /revoke", p.revoke)
	routes.HandleFunc("POST /introspect", p.introspect)
	routes.HandleFunc("GET /counts", func(w http.ResponseWriter, _ *http.Request) {
		p.Lock()
		defer p.Unlock()
		answer(w, http.StatusOK, p.counts)
	})

	resource := server + "/mcp"
	documents := server + "/.well-known/oauth-protected-resource"
	protected := mcp.NewServer(&mcp.Implementation{Name: "protected", Version: "1.0.0"}, nil)
	mcp.AddTool(protected, &mcp.Tool{Name: "get_time", Description: "Say what time it is."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			text := fmt.Sprintf("It is %d.", time.Now().Unix())
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return protected }, nil)
	tools := http.NewServeMux()
	tools.Handle("/.well-known/oauth-protected-resource", auth.ProtectedResourceMetadataHandler(
		&oauthex.ProtectedResourceMetadata{
			Resource: resource, AuthorizationServers: []string{authority}, ScopesSupported: []string{scope},
		}))
	tools.Handle("/mcp", auth.RequireBearerToken(verifier(authority+"/introspect", resource),
		&auth.RequireBearerTokenOptions{Scopes: []string{scope}, ResourceMetadataURL: documents})(handler))

	line, _ := json.Marshal(map[string]string{"url": resource, "counts": authority + "/counts"})
	fmt.Println(string(line))
	go func() { log.Fatal(http.Serve(atAuthority, routes)) }()
	log.Fatal(http.Serve(atServer, tools))
}
