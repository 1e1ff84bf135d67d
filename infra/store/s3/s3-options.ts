// How to reach an S3 store. Addresses and secrets: they come from the environment, never from a campaign's file.

export interface S3Options {
  /** Absent: AWS itself, in `region`. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Absent: what the SDK finds by itself (the role of the machine). */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
  /** For one request, i.e. at most one part of `PART_BYTES`. */
  readonly requestTimeoutMs?: number | undefined;
}
