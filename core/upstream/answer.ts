// The response for plugins: the body can be read once, as JSON, text or bytes.
import { TypeRegistry, type Static, type TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import type { Readable } from 'node:stream'
import { PlayheadError, type UpstreamAnswer, type UpstreamDocument, isPlayheadError, parseJson } from '@playhead/sdk'
import { type BodyErrors, readBody, streamBody } from './body.ts'
import { BLOCKED, failureOfError, type About } from './failures.ts'
import { isHtmlType, looksLikePage } from './page.ts'
import type { Incoming } from './send.ts'
import { defined } from '@playhead/sdk/host'

export function createAnswer(incoming: Incoming, about: About, maxBytes: number): UpstreamAnswer {
  const content = new Content(incoming, about, maxBytes)
  // Functions of their own, so that callers may take them out of the answer.
  return {
    status: incoming.status,
    headers: incoming.headers,
    text: () => content.text(),
    json: async (schema?: TSchema) => (await content.document(schema)).value(),
    document: (schema) => content.document(schema),
    stream: () => content.stream(),
  }
}

class Content implements BodyErrors {
  readonly maxBytes: number
  readonly #incoming: Incoming
  readonly #about: About
  #wasTaken = false

  constructor(incoming: Incoming, about: About, maxBytes: number) {
    this.#incoming = incoming
    this.#about = about
    this.maxBytes = maxBytes
  }

  stream(): Readable {
    this.#take()
    return streamBody(this.#incoming, this)
  }

  async text(): Promise<string> {
    this.#take()
    const { headers, body, method } = this.#incoming
    const isPlain = !('content-encoding' in headers) && method !== 'HEAD'
    if (isPlain && Number(headers['content-length'] ?? 0) > this.maxBytes) {
      body.abort()
      throw this.tooLarge()
    }
    const bytes = await readBody(this.#incoming, this)
    const decoder = decoderFor(headers['content-type'])
    try {
      if (decoder !== null) return decoder.decode(bytes)
    } catch {
      // Reported below, without the bytes.
    }
    throw this.#invalid('is not text in the character set it announces')
  }

  async document<Schema extends TSchema>(schema?: Schema): Promise<UpstreamDocument<Static<Schema>>> {
    const text = await this.text()
    return documentOf(text, this.#incoming.headers['content-type'], schema, (what, reason) =>
      this.#invalid(what, reason),
    )
  }

  tooLarge(): Error {
    return this.#invalid(`is larger than ${this.maxBytes} bytes`)
  }

  /** Adds the request to errors of the body. */
  translate(error: unknown): Error {
    if (isPlayheadError(error, 'PLH_UPSTREAM_INVALID') && error.details === undefined) {
      return this.#invalid(error.message.replace(/^The answer /, '').replace(/\.$/, ''))
    }
    return failureOfError(this.#about, error).error
  }

  #take(): void {
    if (this.#wasTaken) throw new TypeError('The body of an answer can be read once.')
    this.#wasTaken = true
  }

  #invalid(what: string, reason?: string): Error {
    const { account, shown } = this.#about
    return new PlayheadError('PLH_UPSTREAM_INVALID', `${account}: the answer to ${shown} ${what}.`, {
      details: { account, ...defined({ reason }) },
    })
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
