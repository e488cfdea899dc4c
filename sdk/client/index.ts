// @playhead/client: the HTTP interface of Playhead for programs, pages and the command line.
export { createClient } from './client.ts'
export type { Answer, Arguments, Body, Client, ClientOptions, Input, Operation, RequestOptions } from './client.ts'
export { ApiError, isApiError, type Failure } from './error.ts'
export type { Operations } from './schema.ts'
export type { StreamEvent, StreamOptions } from './stream.ts'
