// Notes on an operation that a schema cannot express, by method and path in `api.json` beside plugin.json: an example,
// and the reasons for refusals. `npm run generate:examples` writes the examples from the demo.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../installation.ts'
import { withReasons } from './error-answers.ts'
import type { Operation } from './operation.ts'

export interface OperationNotes {
  /** Reason codes by status. */
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly request?: unknown
  /** Status of the example; 200 if not given. */
  readonly status?: number
  readonly response?: unknown
}

export interface Notes {
  /** Reason codes with their meaning. */
  readonly reasons?: Readonly<Record<string, string>>
  readonly operations?: Readonly<Record<string, OperationNotes>>
}

export const NOTES_FILE = 'api.json'
/** Location of the notes on the core's own operations. */
export const CORE_NOTES = join(ROOT, 'core', 'http', 'openapi')

/** An unreadable file leaves the operations without notes. */
export async function readNotes(directory: string): Promise<Notes> {
  try {
    return JSON.parse(await readFile(join(directory, NOTES_FILE), 'utf8')) as Notes
  } catch {
    return {}
  }
}

export function addNotes(operation: Operation, name: string, { reasons = {}, operations = {} }: Notes): void {
  const notes = operations[name]
  if (notes === undefined) return
  for (const [status, codes] of Object.entries(notes.errors ?? {})) {
    const noted = Object.fromEntries(codes.map((code) => [code, reasons[code] ?? 'See the detail.']))
    operation.responses[status] = withReasons(operation.responses[status], Number(status), noted)
  }
  for (const parameter of operation.parameters ?? []) {
    const value = (parameter.in === 'path' ? notes.params : notes.query)?.[parameter.name]
    if (value !== undefined) parameter.example = isText(parameter.schema) ? String(value) : value
  }
  if (notes.request !== undefined) setExample(operation.requestBody, notes.request)
  if (notes.response !== undefined)
    setExample(operation.responses[String(notes.status ?? 200)] ?? operation.responses['2XX'], notes.response)
}

type Media = { readonly content?: Record<string, { example?: unknown }> }

function setExample(part: Media | undefined, value: unknown): void {
  const media = Object.values(part?.content ?? {})[0]
  if (media !== undefined) media.example = value
}

function isText(schema: object | undefined): boolean {
  return (schema as { readonly type?: unknown } | undefined)?.type === 'string'
}
