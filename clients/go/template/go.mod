module my-bot

go 1.26.0

require (
	google.golang.org/protobuf v1.36.12
	github.com/mergemaker/mergemaker/clients/go v0.1.0
)

require (
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/grpc v1.85.0 // indirect
)

replace github.com/mergemaker/mergemaker/clients/go => ./sdk
