package mergemaker

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func variables(pairs ...string) func(string) string {
	set := map[string]string{serverVariable: "grpc://127.0.0.1:7350", tokenVariable: "secret-token"}
	for i := 0; i < len(pairs); i += 2 {
		set[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return set[name] }
}

func TestServers(t *testing.T) {
	for text, should := range map[string]struct {
		server     Server
		address    string
		isLoopback bool
	}{
		"grpc://127.0.0.1:7350":          {Server{"127.0.0.1", 7350, false}, "127.0.0.1:7350", true},
		"grpc://127.9.9.9:1":             {Server{"127.9.9.9", 1, false}, "127.9.9.9:1", true},
		"grpc://LocalHost:65535":         {Server{"LocalHost", 65535, false}, "LocalHost:65535", true},
		"grpcs://[::1]:7350":             {Server{"::1", 7350, true}, "[::1]:7350", true},
		"grpcs://[2001:db8::1]:443":      {Server{"2001:db8::1", 443, true}, "[2001:db8::1]:443", false},
		"grpcs://referee.example:7350":   {Server{"referee.example", 7350, true}, "referee.example:7350", false},
		"grpcs://localhost.example:7350": {Server{"localhost.example", 7350, true}, "localhost.example:7350", false},
	} {
		server, err := ParseServer(text)
		if err != nil || server != should.server || server.Address() != should.address || server.IsLoopback() != should.isLoopback {
			t.Errorf("%s: %+v, %s, %v, %v", text, server, server.Address(), server.IsLoopback(), err)
		}
	}
}

func TestServersThatAreNone(t *testing.T) {
	for _, text := range []string{
		"", "127.0.0.1:7350", "http://127.0.0.1:7350", "grpc://", "grpc://host", "grpc://:7350", "grpc://host:", "grpc://host:0", "grpc://host:65536",
		"grpc://host:+1", "grpc://host:٣", "grpc://no host:7350", "grpc://host:7350/path", "grpc://user@host:7350", "grpc://::1:7350",
		"grpc://[::1:7350", "grpc://[1.2.3.4]:7350", "grpc://[]:1", "grpcs:host:7350", "grpc://ho\x00st\n:1", "grpc://a%b:1",
	} {
		_, err := ParseServer(text)
		var found *Problem
		if !errors.As(err, &found) || found.Kind != BadSetting || found.Reason != "bad-server" || !strings.Contains(found.Text, "grpc://127.0.0.1:7350") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	read, err := ReadEnvironment(variables(botVariable, "Ann", caVariable, "ca.pem", traceVariable, "trace.jsonl"))
	if err != nil || read != (Environment{Server{"127.0.0.1", 7350, false}, "secret-token", "Ann", "ca.pem", "trace.jsonl"}) {
		t.Errorf("%v, %v", read, err)
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(form, read); strings.Contains(text, "secret") {
			t.Errorf("%s shows the token: %s", form, text)
		}
	}
}

func TestSettingsThatAreWrong(t *testing.T) {
	for _, test := range []struct{ name, reason, variable, value string }{
		{"no server", "missing-variable", serverVariable, ""},
		{"no token", "missing-variable", tokenVariable, ""},
		{"a server that is none", "bad-server", serverVariable, "here"},
		{"a token with a space", "bad-token", tokenVariable, "se cret"},
		{"a token with a line end", "bad-token", tokenVariable, "secret\n"},
		{"a token beyond ASCII", "bad-token", tokenVariable, "sécret"},
		{"a long name", "bad-name", botVariable, strings.Repeat("ä", 65)},
		{"a name that is not UTF-8", "bad-name", botVariable, "\xff"},
		{"plain text to another machine", "plain-text", serverVariable, "grpc://192.0.2.1:7350"},
		{"plain text, said otherwise", "bad-plain-text", plainTextVariable, "yes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadEnvironment(variables(test.variable, test.value))
			var found *Problem
			if !errors.As(err, &found) || found.Kind != BadSetting || found.Reason != test.reason {
				t.Errorf("%v", err)
			}
			if err != nil && strings.Contains(err.Error(), "ecret") {
				t.Errorf("the token is shown: %v", err)
			}
		})
	}
}

func TestPlainTextWhereItIsAllowed(t *testing.T) {
	for _, read := range []func(string) string{
		variables(serverVariable, "grpc://192.0.2.1:7350", plainTextVariable, "allowed"),
		variables(serverVariable, "grpcs://192.0.2.1:7350"),
		variables(serverVariable, "grpc://[::1]:7350"),
		variables(botVariable, strings.Repeat("ä", 64)),
	} {
		if _, err := ReadEnvironment(read); err != nil {
			t.Error(err)
		}
	}
}
