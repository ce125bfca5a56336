package mergemaker

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	serverVariable    = "MERGEMAKER_SERVER"
	tokenVariable     = "MERGEMAKER_TOKEN"
	botVariable       = "MERGEMAKER_BOT"
	caVariable        = "MERGEMAKER_CA"
	plainTextVariable = "MERGEMAKER_PLAIN_TEXT"
	traceVariable     = "MERGEMAKER_TRACE"

	plainTextAllowed  = "allowed"
	nameCharactersMax = 64
)

// Environment says where a bot goes: what the MERGEMAKER_ variables say.
type Environment struct {
	Server Server
	Token  string
	// Name is the bot's; empty: the one that goes with the token.
	Name string
	// CA is a file with the certificates to trust, if they are not those that the machine trusts.
	CA string
	// Trace is a file to which every message is written.
	Trace string
}

// String leaves the token out.
func (e Environment) String() string { return fmt.Sprintf("%s as %q", e.Server, e.Name) }

// GoString leaves the token out.
func (e Environment) GoString() string { return e.String() }

// Server is a referee's address.
type Server struct {
	Host string
	Port int
	// IsSecure is whether the connection uses TLS.
	IsSecure bool
}

// Address is host and port, an IPv6 address in brackets.
func (s Server) Address() string {
	if strings.Contains(s.Host, ":") {
		return fmt.Sprintf("[%s]:%d", s.Host, s.Port)
	}
	return fmt.Sprintf("%s:%d", s.Host, s.Port)
}

// IsLoopback is whether the referee is on this machine, so that no proxy may be used.
func (s Server) IsLoopback() bool {
	if strings.EqualFold(s.Host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(s.Host)
	return err == nil && address.IsLoopback()
}

func (s Server) String() string {
	if s.IsSecure {
		return "grpcs://" + s.Address()
	}
	return "grpc://" + s.Address()
}

// ParseServer reads grpc://host:port or grpcs://host:port; an IPv6 address stands in brackets.
func ParseServer(text string) (Server, error) {
	scheme, rest, _ := strings.Cut(text, "://")
	colon := strings.LastIndex(rest, ":")
	if (scheme == "grpc" || scheme == "grpcs") && colon > 0 {
		host, port := rest[:colon], portOf(rest[colon+1:])
		if port > 0 && isHost(host) {
			return Server{strings.Trim(host, "[]"), port, scheme == "grpcs"}, nil
		}
	}
	return Server{}, problem(BadSetting, "bad-server", "a referee's address (%s) is grpc://127.0.0.1:7350, or grpcs://referee.example:7350, not %q",
		serverVariable, shortened(text))
}

func portOf(text string) int {
	for _, digit := range text {
		if digit < '0' || digit > '9' {
			return 0
		}
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0
	}
	return int(port)
}

func isHost(text string) bool {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		return ok && err == nil && address.Is6()
	}
	return !strings.ContainsAny(text, "/?#@[]:% \t\r\n\v\f") && utf8.ValidString(text)
}

// shortened keeps what somebody pasted from filling the screen.
func shortened(text string) string {
	const shownMax = 80
	if runes := []rune(text); len(runes) > shownMax {
		return string(runes[:shownMax]) + "…"
	}
	return text
}

// ReadEnvironment reads the variables, as by os.Getenv. One that is empty counts as missing.
func ReadEnvironment(variable func(string) string) (Environment, error) {
	none := Environment{}
	var missing []string
	if variable(serverVariable) == "" {
		missing = append(missing, "\n  "+serverVariable+"=grpc://127.0.0.1:7350, or grpcs://referee.example:7350")
	}
	if variable(tokenVariable) == "" {
		missing = append(missing, "\n  "+tokenVariable+"=what the referee or the operator gave to this bot")
	}
	if len(missing) > 0 {
		return none, problem(BadSetting, "missing-variable", "the bot does not know where to connect: these must be set, as in%s",
			strings.Join(missing, ""))
	}
	server, err := ParseServer(variable(serverVariable))
	if err != nil {
		return none, err
	}
	read := Environment{server, variable(tokenVariable), variable(botVariable), variable(caVariable), variable(traceVariable)}
	if count := utf8.RuneCountInString(read.Name); count > nameCharactersMax || !utf8.ValidString(read.Name) {
		return none, problem(BadSetting, "bad-name", "a bot's name (%s) is UTF-8 of at most %d characters, not of %d", botVariable,
			nameCharactersMax, count)
	}
	for _, character := range []byte(read.Token) {
		if character <= ' ' || character > '~' {
			return none, problem(BadSetting, "bad-token", "a token (%s) is printable ASCII without spaces; this one is not", tokenVariable)
		}
	}
	return read, checkPrivate(server, variable(plainTextVariable))
}

// checkPrivate refuses to show a token to anyone on the way: that needs TLS, or explicit permission.
func checkPrivate(server Server, said string) error {
	if said != "" && said != plainTextAllowed {
		return problem(BadSetting, "bad-plain-text", "%s is %q or not set, not %q", plainTextVariable, plainTextAllowed, shortened(said))
	}
	if server.IsSecure || server.IsLoopback() || said == plainTextAllowed {
		return nil
	}
	return problem(BadSetting, "plain-text", "%s is not on this machine, and without TLS anyone on the route can read the token: use "+
		"grpcs://%s, with %s where this machine does not trust its certificate by itself; or, in a network that you trust, set %s=%s",
		server, server.Address(), caVariable, plainTextVariable, plainTextAllowed)
}
