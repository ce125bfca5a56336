package mergemaker

import (
	"os"
	"strings"
	"testing"
)

// TestTheFirstBot compares the bot that the README begins with to the one that is built.
func TestTheFirstBot(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("examples/first-bot/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```go\n")
	block, _, _ = strings.Cut(block, "```")
	if _, code, _ := strings.Cut(string(program), "\n"); block == "" || code != block {
		t.Errorf("examples/first-bot is\n%s\nthe README has\n%s", code, block)
	}
}
