// The response for plugins: the body can be read once, as JSON, text or bytes.
import { TypeRegistry, type Static, type TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import type { Readable } from 'node:stream'
import { PlayheadError, type UpstreamAnswer, type UpstreamDocument, isPlayheadError, parseJson } from '@playhead/sdk'
import { openBody, type Body } from './body.ts'
import { BLOCKED, failureOfError, type About } from './failures.ts'
import { isHtmlType, looksLikePage } from './page.ts'
import type { Incoming } from './send.ts'
import { defined } from '@playhead/sdk/host'

interface AnswerOptions {
  readonly about: About
  readonly maxBytes: number
}

export function createAnswer(incoming: Incoming, { about, maxBytes }: AnswerOptions): UpstreamAnswer {
  const invalid = (what: string, reason?: string) =>
    new PlayheadError('PLH_UPSTREAM_INVALID', `${about.account}: the answer to ${about.shown} ${what}.`, {
      details: { account: about.account, ...defined({ reason }) },
    })
  // Adds the request to errors of the body.
  const translate = (error: unknown): Error => {
    if (isPlayheadError(error, 'PLH_UPSTREAM_INVALID') && error.details === undefined) {
      return invalid(error.message.replace(/^The answer /, '').replace(/\.$/, ''))
    }
    return failureOfError(about, error).error
  }
  let wasTaken = false

  function take(): Body {
    if (wasTaken) throw new TypeError('The body of an answer can be read once.')
    wasTaken = true
    return openBody(incoming, translate)
  }

  async function text(): Promise<string> {
    const source = take()
    const tooLarge = () => invalid(`is larger than ${maxBytes} bytes`)
    const isPlain = !('content-encoding' in incoming.headers) && incoming.method !== 'HEAD'
    if (isPlain && Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
      incoming.body.abort()
      throw tooLarge()
    }
    const bytes = await source.bytes(maxBytes, tooLarge)
    const decoder = decoderFor(incoming.headers['content-type'])
    try {
      if (decoder !== null) return decoder.decode(bytes)
    } catch {
      // Reported below, without the bytes.
    }
    throw invalid('is not text in the character set it announces')
  }

  async function document<Schema extends TSchema>(schema?: Schema): Promise<UpstreamDocument<Static<Schema>>> {
    return documentOf(await text(), incoming.headers['content-type'], schema, invalid)
  }

  return {
    status: incoming.status,
    headers: incoming.headers,
    text,
    json: async (schema?: TSchema) => (await document(schema)).value(),
    document,
    stream: (): Readable => take().stream(),
  }
}

/** The text as JSON, parsed and checked on demand. @param invalid creates the error from the problem's description */
export function documentOf<Schema extends TSchema>(
  content: string,
  contentType: string | undefined,
  schema: Schema | undefined,
  invalid: (what: string, reason?: string) => Error,
): UpstreamDocument<Static<Schema>> {
  return {
    text: content,
    value() {
      if (isHtmlType(contentType) || looksLikePage(content)) throw invalid('is a web page, not JSON', BLOCKED)
      if (/^\s*</.test(content)) throw invalid('is markup, not JSON')
      let value: unknown
      try {
        value = parseJson(content)
      } catch {
        // The parser's message quotes the body.
        throw invalid(content.trim() === '' ? 'is empty where JSON was expected' : 'is not JSON')
      }
      if (schema !== undefined) check(schema, value, invalid)
      return value as Static<Schema>
    },
  }
}

// Weak, so that the checks end with the schema and the plugin's generation.
const checks = new WeakMap<TSchema, TypeCheck<TSchema>>()

function check<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  invalid: (what: string) => Error,
): asserts value is Static<Schema> {
  let compiled = checks.get(schema)
  if (compiled === undefined) {
    // Plain JSON Schema: only the listed keywords are checked.
    if (!TypeRegistry.Has('Unsafe')) {
      TypeRegistry.Set('Unsafe', (unsafe: { enum?: readonly unknown[] }, item) => unsafe.enum?.includes(item) ?? true)
    }
    compiled = TypeCompiler.Compile(schema)
    checks.set(schema, compiled)
  }
  if (compiled.Check(value)) return
  // The path and the expectation, never the value, which may be private.
  const first = compiled.Errors(value).First()
  throw invalid(`is not what was expected at ${first?.path || '/'}: ${first?.message ?? 'it does not fit'}`)
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function decoderFor(contentType: string | undefined): TextDecoder | null {
  // The usual types of a JSON response.
  if (contentType === undefined || contentType.startsWith('application/json')) {
    const rest = contentType?.slice('application/json'.length) ?? ''
    if (rest === '' || rest === '; charset=utf-8') return UTF8
  }
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  if (charset.toLowerCase() === 'utf-8') return UTF8
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    // An unknown charset.
    return null
  }
}
