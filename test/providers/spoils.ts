// Invalid responses: from a proxy, a broken server, or a different server.
import { gzipSync } from 'node:zlib'
import type { ServerResponse } from 'node:http'
import type { UpstreamReply } from '../upstreams/base/messages.ts'
import { createSeededRandom, type SeededRandom } from '../upstreams/base/random.ts'

export interface Spoil {
  readonly name: string
  /** The request is not passed to the service: it has no effect, regardless of the response. */
  readonly instead: boolean
  /** The response may still be valid: the changed value may be in an unused field. */
  readonly mayPass?: boolean
  /** The response could confirm a completed write, where only the status is documented. */
  readonly confirms?: boolean
  /** Weight of this case. Default 1. */
  readonly worth?: number
  readonly send: (response: ServerResponse, reply: UpstreamReply) => void
}

const BEYOND_THE_LIMIT = 17 * 1024 * 1024
const HUGE = gzipSync(Buffer.concat([Buffer.from('["'), Buffer.alloc(BEYOND_THE_LIMIT, 'x'), Buffer.from('"]')]))
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const PAGE = '<!doctype html><html><head><title>Sign in to the network</title></head><body><p>Welcome</p></body></html>'

/** @param elsewhere address of an unrelated server */
export function spoilsOf(seed: number, elsewhere: string): readonly Spoil[] {
  const random = createSeededRandom(seed)
  const status = (code: number, headers: Readonly<Record<string, string>> = {}) => instead(`${code}`, code, headers, '')
  return [
    instead('a page of somebody else', 200, { 'content-type': 'text/html' }, PAGE),
    instead('null', 200, JSON_TYPE, 'null'),
    { ...instead('an empty object', 200, JSON_TYPE, '{}'), confirms: true },
    instead('a text', 200, JSON_TYPE, '"ok"'),
    { ...instead('too much', 200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, HUGE), worth: 0.1 },
    instead('a redirect to another host', 302, { location: `${elsewhere}/elsewhere` }, ''),
    instead('a lasting redirect to another host', 308, { location: `${elsewhere}/elsewhere` }, ''),
    status(429),
    status(500),
    status(502, { 'content-type': 'text/html' }),
    status(503),
    after('nothing', (response) => send(response, 200, JSON_TYPE, '')),
    after('204', (response) => send(response, 204, {}, '')),
    after('half of the text', (response, reply) => {
      const whole = bodyOf(reply)
      send(response, reply.status, headersOf(reply), whole.subarray(0, Math.floor(whole.length / 2)))
    }),
    after('a connection that is cut', (response, reply) => {
      const whole = bodyOf(reply)
      response.writeHead(reply.status, { ...headersOf(reply), 'content-length': whole.length + 1 })
      response.write(whole.subarray(0, Math.floor(whole.length / 2)) || ' ', () => response.destroy())
    }),
    after('packed, it says', (response, reply) =>
      send(response, reply.status, { ...headersOf(reply), 'content-encoding': 'gzip' }, bodyOf(reply)),
    ),
    {
      ...after('bytes that are no text', (response, reply) =>
        send(response, reply.status, headersOf(reply), withWrongByte(bodyOf(reply), random)),
      ),
      mayPass: true,
    },
    ...[1, 2, 3].map(
      (turn): Spoil => ({
        ...after(`another type, ${turn}`, (response, reply) => {
          if (reply.json === undefined) send(response, reply.status, headersOf(reply), bodyOf(reply).subarray(1))
          else
            send(
              response,
              reply.status,
              headersOf(reply),
              Buffer.from(JSON.stringify(withOtherType(reply.json, random))),
            )
        }),
        mayPass: true,
      }),
    ),
  ]
}

/** Sends the headers, and then a byte from time to time, forever. */
export const TRICKLE: Spoil = after('a trickle', (response, reply) => {
  response.writeHead(200, headersOf(reply))
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
})

/** A copy with one value, at any depth, replaced by a value of another type. */
export function withOtherType(json: unknown, random: SeededRandom): unknown {
  if (typeof json === 'object' && json !== null && !random.chance(0.2)) {
    const keys = Object.keys(json)
    const key = keys.length === 0 ? undefined : random.pick(keys)
    if (key !== undefined) {
      const changed = withOtherType((json as Record<string, unknown>)[key], random)
      return Array.isArray(json) ? json.with(Number(key), changed) : { ...json, [key]: changed }
    }
  }
  return random.pick(OTHERS.filter((other) => typeOf(other) !== typeOf(json)))
}

const OTHERS: readonly unknown[] = [null, true, 0, -1.5, 2 ** 60, '', 'text', [], [null], [[]], {}, { a: 1 }]

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

function withWrongByte(body: Buffer, random: SeededRandom): Buffer {
  const starts = [...body.entries()].flatMap(([index, byte]) => (byte === 0x22 ? [index] : []))
  if (starts.length === 0) return Buffer.concat([body, Buffer.from([0xe9])])
  const at = random.pick(starts) + 1
  return Buffer.concat([body.subarray(0, at), Buffer.from([0xe9]), body.subarray(at)])
}

function instead(
  name: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): Spoil {
  return { name, instead: true, send: (response) => send(response, status, headers, body) }
}

function after(name: string, make: Spoil['send']): Spoil {
  return { name, instead: false, send: make }
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): void {
  response.writeHead(status, headers)
  response.end(body)
}

function headersOf({ headers = {}, json }: UpstreamReply): Record<string, string> {
  return { ...(json === undefined ? {} : JSON_TYPE), ...headers }
}

function bodyOf({ json, text = '', bytes }: UpstreamReply): Buffer {
  return Buffer.from(bytes ?? (json === undefined ? text : JSON.stringify(json)))
}
