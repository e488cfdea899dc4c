// The API connection of a profile, as its users see it.
import type { Static, TSchema, UpstreamAccount, UpstreamAnswer, UpstreamRequest } from '@playhead/sdk'

export interface Api {
  readonly upstream: UpstreamAccount
  /** Adds the required parameters. Throws like `ctx.upstream`, with SIMKL statuses mapped. */
  ask(request: UpstreamRequest): Promise<UpstreamAnswer>
  json<Schema extends TSchema>(request: UpstreamRequest, schema: Schema): Promise<Static<Schema>>
  /** Like `json`, without retrying a truncated body. */
  jsonOnce<Schema extends TSchema>(request: UpstreamRequest, schema: Schema): Promise<Static<Schema>>
  text(request: UpstreamRequest): Promise<string>
}
