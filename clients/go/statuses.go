package mergemaker

import (
	"strings"

	"google.golang.org/grpc/codes"
)

// advice says what the author is to do, by status after which it makes no sense to come back.
var advice = map[codes.Code]string{
	codes.Unauthenticated:    "check MERGEMAKER_TOKEN: it may belong to another referee, or have been withdrawn",
	codes.PermissionDenied:   "check MERGEMAKER_TOKEN: this token may not do that",
	codes.FailedPrecondition: "update what is older, the referee or this client",
	codes.AlreadyExists:      "another process plays with the same token: end it, or take its place with Options.Evict",
	codes.InvalidArgument:    "MERGEMAKER_TRACE=FILE writes down what was sent",
	codes.Unimplemented:      "there is a gRPC server, but no referee: check MERGEMAKER_SERVER",
	codes.NotFound:           "check MERGEMAKER_SERVER",
}

var codeNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
	"UNAUTHENTICATED",
}

// codeName is a status as gRPC's documents write it, the same in every language.
func codeName(code codes.Code) string {
	if int(code) < len(codeNames) {
		return codeNames[code]
	}
	return code.String()
}

// codeWord is the same as the reason of a problem.
func codeWord(code codes.Code) string {
	return strings.ReplaceAll(strings.ToLower(codeName(code)), "_", "-")
}
