// The examples of operations: `examples.json` beside a plugin.json, by method and path. `npm run generate:examples`
// writes them from the demo.
import type { Operation } from './operation.ts'

export interface Example {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly request?: unknown
  /** Of the answer; 200 if not given. */
  readonly status?: number
  readonly response?: unknown
}

export type Examples = Readonly<Record<string, Example>>

export function addExample(operation: Operation, example: Example | undefined): void {
  if (example === undefined) return
  for (const parameter of operation.parameters ?? []) {
    const value = (parameter.in === 'path' ? example.params : example.query)?.[parameter.name]
    if (value !== undefined) parameter.example = value
  }
  if (example.request !== undefined) setExample(operation.requestBody, example.request)
  if (example.response !== undefined)
    setExample(operation.responses[String(example.status ?? 200)] ?? operation.responses['2XX'], example.response)
}

type Media = { readonly content?: Record<string, { example?: unknown }> }

function setExample(part: Media | undefined, value: unknown): void {
  const media = Object.values(part?.content ?? {})[0]
  if (media !== undefined) media.example = value
}
