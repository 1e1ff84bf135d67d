// How to reach an S3 store. Addresses and secrets: they come from the environment, never from a campaign's file.

export interface S3Options {
  /** Absent: AWS itself, in `region`. */
  readonly endpoint?: string;
  readonly region?: string;
  /** Absent: what the SDK finds by itself (the role of the machine). */
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
  /** For one request, i.e. at most one part of `PART_BYTES`. */
  readonly requestTimeoutMs?: number;
}
