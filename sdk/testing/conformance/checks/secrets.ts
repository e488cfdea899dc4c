// Checks that tokens, passwords and keys reach only the service.
import { isSecretPath } from '../../../secrets.ts'
import type { Bench, Check } from '../contract.ts'
import { all, always, featuresOf, must, needsService, serialise, writable } from './support.ts'

const group = 'secrets'
const SHORTEST = 6

function lookFor({ simulator }: Bench, where: string, value: unknown): void {
  const text = serialise(value)
  for (const secret of simulator.secrets()) {
    if (secret.length < SHORTEST) continue
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')]
    must(!forms.some((form) => text.includes(form)), `a secret of ${secret.length} characters is in ${where}`)
  }
}

/** Exercises a profile with successes and failures; returns the errors. */
async function live(bench: Bench, subject: Parameters<Check['run']>[0]): Promise<readonly unknown[]> {
  const errors: unknown[] = []
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      errors.push(error)
    }
  }
  const all = async () => {
    for (const feature of featuresOf(subject)) await attempt(() => bench.read(feature))
    for (const feature of featuresOf(subject, writable))
      await attempt(async () => bench.write(feature, 'add', await bench.simulator.fresh(feature, 1)))
    await attempt(async () => bench.provider.probe('default'))
  }
  await all()
  for (const fault of [
    { kind: 'html' },
    { kind: 'status', status: 500 },
    { kind: 'status', status: 401 },
    { kind: 'reset' },
    { kind: 'truncate' },
  ] as const) {
    bench.fault(fault)
    await all()
    bench.clearFaults()
    bench.clock.advance(600_000)
  }
  await bench.simulator.revoke?.(0)
  await all()
  return errors
}

const readers = new Set<string[]>()
let restore: (() => void) | undefined

/** Collects what the process prints meanwhile; it is still printed. */
async function whilePrinting(printed: string[], work: () => Promise<void>): Promise<void> {
  readers.add(printed)
  restore ??= listen()
  try {
    await work()
  } finally {
    readers.delete(printed)
    if (readers.size === 0) {
      restore()
      restore = undefined
    }
  }
}

function listen(): () => void {
  const streams = [process.stdout, process.stderr].map((stream) => {
    const { write } = stream
    stream.write = ((...args: Parameters<typeof write>) => {
      for (const reader of readers) reader.push(String(args[0]))
      return write.apply(stream, args)
    }) as typeof write
    return () => {
      stream.write = write
    }
  })
  return () => {
    for (const give of streams) give()
  }
}

/** Names of the fields with `secret: true`, at any depth of a settings schema. */
function secretFields(schema: unknown, name = '', found = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return found
  if ((schema as { secret?: unknown }).secret === true) found.add(name)
  for (const [key, below] of Object.entries(schema)) {
    if (key === 'properties' && typeof below === 'object' && below !== null)
      for (const [field, part] of Object.entries(below)) secretFields(part, field, found)
    else secretFields(below, name, found)
  }
  return found
}

/** All texts of a document with the name of their field. */
function textsOf(value: unknown, field = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[field, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, below]) => textsOf(below, Array.isArray(value) ? field : key))
}

export const secrets: readonly Check[] = [
  {
    id: 'secrets.logs',
    group,
    title: 'no line of the log holds a secret',
    points: 3,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      await live(bench, subject)
      lookFor(bench, 'the log', bench.host.logs)
      return undefined
    },
  },
  {
    id: 'secrets.errors',
    group,
    title: 'no error holds a secret',
    points: 3,
    applies: needsService,
    async run(subject) {
      await using bench = await subject.open()
      lookFor(bench, 'an error', await live(bench, subject))
      lookFor(bench, 'a failure', bench.host.failures)
      return undefined
    },
  },
  {
    id: 'secrets.events',
    group,
    title: 'no event holds a secret',
    points: 2,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      await live(bench, subject)
      lookFor(bench, 'an event', bench.host.events.recent())
      return undefined
    },
  },
  {
    id: 'secrets.shown',
    group,
    title: 'what it says about itself, its profiles and its health holds no secret',
    points: 3,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      const { provider } = bench
      lookFor(bench, 'its description', await provider.describe())
      lookFor(bench, 'its profiles', await provider.profiles())
      lookFor(bench, 'its health', await provider.probe('default'))
      lookFor(bench, 'its libraries', await provider.libraries('default'))
      return undefined
    },
  },
  {
    id: 'secrets.rows',
    group,
    title: 'no row, checkpoint or outcome holds a secret',
    points: 2,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      for (const feature of featuresOf(subject)) {
        await bench.simulator.seed(0, feature, 5)
        lookFor(bench, `the read of ${feature}`, await bench.read(feature))
      }
      for (const feature of featuresOf(subject, writable))
        lookFor(
          bench,
          `the outcomes of ${feature}`,
          await bench.write(feature, 'add', await bench.simulator.fresh(feature, 1)),
        )
      return undefined
    },
  },
  {
    id: 'secrets.console',
    group,
    title: 'nothing that it prints holds a secret',
    points: 3,
    applies: always,
    async run(subject) {
      const printed: string[] = []
      await whilePrinting(printed, async () => {
        await using bench = await subject.open()
        await live(bench, subject)
        lookFor(bench, 'the log', bench.host.logs)
        lookFor(bench, 'what it printed', printed)
      })
      return undefined
    },
  },
  {
    id: 'secrets.settings',
    group,
    title: 'every secret that the settings hold is in a field that is marked secret',
    points: 3,
    applies: always,
    async run(subject) {
      await using bench = await subject.open()
      const marked = secretFields(subject.plugin.config)
      const own = serialise(bench.simulator.config)
      for (const [field, text] of textsOf(bench.host.ctx.config)) {
        if (marked.has(field) || isSecretPath([field])) continue
        const shown = bench.simulator
          .secrets()
          .some((secret) => secret.length >= SHORTEST && text.includes(secret) && !own.includes(secret))
        must(!shown, `${field} holds a secret and is not marked secret: true`)
      }
      return undefined
    },
  },
  {
    id: 'secrets.address',
    group,
    title: 'no path that it asks for holds a secret: paths are kept in logs',
    points: 2,
    applies: needsService,
    async run(subject) {
      await using bench = await subject.open()
      const before = bench.requests().length
      await live(bench, subject)
      for (const { path } of bench.requests().slice(before)) lookFor(bench, 'the path of a request', path)
      return undefined
    },
  },
  {
    id: 'secrets.typed',
    group,
    title: 'what a person types to sign in is not kept',
    points: 3,
    applies: ({ can }) => can.typed || 'its adapter names no password that is typed',
    async run(subject) {
      await using bench = await subject.open()
      const kept = [serialise(bench.host.ctx.config)]
      for await (const [key, value] of bench.host.store.entries()) kept.push(key, serialise(value))
      for (const typed of bench.simulator.typed?.() ?? [])
        must(!kept.some((text) => text.includes(typed)), 'a password is in the settings or in the storage')
      return undefined
    },
  },
  {
    id: 'secrets.routes',
    group,
    title: 'none of its routes shows a secret',
    points: 2,
    applies: all(
      ({ manifest }) =>
        (manifest.routes ?? []).some(({ method, path }) => method === 'GET' && !path.includes(':')) ||
        'it has no routes to look at',
    ),
    async run(subject) {
      await using bench = await subject.open()
      for (const { method, path } of subject.manifest.routes ?? []) {
        if (method !== 'GET' || /[:*{]/.test(path)) continue
        const { body, headers } = await bench.host.inject(path)
        lookFor(bench, `the answer of ${path}`, { body, headers })
      }
      return undefined
    },
  },
]
