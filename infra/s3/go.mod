// Pins the S3 server that one machine uses in tests and for `evo up --s3`.
module evotrainer/infra/s3

go 1.26.0

tool github.com/versity/versitygw/cmd/versitygw

require github.com/versity/versitygw v1.8.0
