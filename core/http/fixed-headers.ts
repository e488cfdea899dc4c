// The headers that every answer carries, written as one ready text. Set one by one, Node checks each name and value anew for
// each answer, which costs more than the whole access gate. What a handler sets itself wins over the fixed ones.
import { ServerResponse } from './node-http.ts'

export type HeaderSet = Readonly<Record<string, string>>

interface FixedHeaders {
  /** By name. */
  readonly lines: ReadonlyMap<string, string>
  readonly text: string
}

// There are a handful of sets, and they live as long as the process.
const fixed = new WeakMap<HeaderSet, FixedHeaders>()

/** A response that begins with a fixed set of headers. Give it to Node as the server's response class. */
export class HouseResponse extends ServerResponse {
  /** Names in lower case; null for none. */
  fixedHeaders: HeaderSet | null = null

  // Not documented, and as old as Node's HTTP: the one place where status line and headers become text. The tests of the
  // security headers run through it.
  _storeHeader(statusLine: string, headers: object | undefined): void {
    const start = this.fixedHeaders === null ? statusLine : statusLine + textFor(this.fixedHeaders, headers)
    ;(ServerResponse.prototype as unknown as { _storeHeader(line: string, headers: object | undefined): void })._storeHeader.call(this, start, headers)
  }
}

function textFor(set: HeaderSet, own: object | undefined): string {
  const { lines, text } = fixed.get(set) ?? prepare(set)
  // A handler sets few headers, the set has many: its own names are looked up in the set, not the other way round.
  for (const name in own) {
    if (lines.has(name)) return [...lines].filter(([fixedName]) => !(fixedName in own)).map(([, line]) => line).join('')
  }
  return text
}

function prepare(set: HeaderSet): FixedHeaders {
  const lines = new Map(Object.entries(set).map(([name, value]) => {
    if (/[^\t\x20-\x7e]/.test(name + value)) throw new TypeError(`The header ${name} has a character that headers cannot have.`)
    return [name, `${name}: ${value}\r\n`]
  }))
  const prepared = { lines, text: [...lines.values()].join('') }
  fixed.set(set, prepared)
  return prepared
}
