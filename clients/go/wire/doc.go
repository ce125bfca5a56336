// Package wire holds the messages and services of mergemaker.v1, as protoc makes them from protos/mergemaker/v1/*.proto: run
// clients/go/generate. What the fields mean is said beside each.
package wire
