// Pins Temporal's old command line, to which the tests show that every human control answers.
module evotrainer/infra/tctl

go 1.26.0

tool github.com/temporalio/tctl/cmd/tctl

require github.com/temporalio/tctl v1.18.0
