// A SAML identity provider of crewjam/saml, whose person the test says. The first line printed is JSON: the provider's address. Service
// providers and the person are posted to it.
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/crewjam/saml"
)

const sha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

type world struct {
	sync.Mutex
	known  map[string]*saml.EntityDescriptor
	person saml.Session
}

func (w *world) GetServiceProvider(_ *http.Request, id string) (*saml.EntityDescriptor, error) {
	w.Lock()
	defer w.Unlock()
	if found, ok := w.known[id]; ok {
		return found, nil
	}
	return nil, os.ErrNotExist
}

func (w *world) GetSession(_ http.ResponseWriter, _ *http.Request, _ *saml.IdpAuthnRequest) *saml.Session {
	w.Lock()
	defer w.Unlock()
	session := w.person
	session.ID, session.Index = "session", "index"
	session.CreateTime, session.ExpireTime = time.Now(), time.Now().Add(time.Hour)
	return &session
}

func (w *world) take(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	w.Lock()
	defer w.Unlock()
	if request.URL.Path == "/person" {
		err = json.Unmarshal(body, &w.person)
	} else {
		found := &saml.EntityDescriptor{}
		err = xml.Unmarshal(body, found)
		w.known[found.EntityID] = found
	}
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
	}
}

func main() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		log.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "provider"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		log.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	at := func(path string) url.URL {
		found, _ := url.Parse(address + path)
		return *found
	}
	all := &world{known: map[string]*saml.EntityDescriptor{}}
	provider := &saml.IdentityProvider{
		Key:                     key,
		Certificate:             certificate,
		MetadataURL:             at("/metadata"),
		SSOURL:                  at("/sso"),
		ServiceProviderProvider: all,
		SessionProvider:         all,
		SignatureMethod:         sha256,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metadata", provider.ServeMetadata)
	mux.HandleFunc("GET /sso", provider.ServeSSO)
	mux.HandleFunc("POST /person", all.take)
	mux.HandleFunc("POST /service-provider", all.take)
	fmt.Printf("{\"address\":%q}\n", address)
	log.Fatal(http.Serve(listener, mux))
}
