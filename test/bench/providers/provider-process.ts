// A provider in a separate process: time and memory of a read or write.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Feature, type Item, type Provider, type ReadRequest, providerCapability } from '@playhead/sdk'
import { createTestAccounts, createTestHost, type TestHost } from '@playhead/sdk/testing'
import { answerQuestions } from '../child.ts'

const ROOT = new URL('../../../', import.meta.url)
let host: TestHost | undefined
let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 10).unref()
// Like `npm start`.

// Requested for each use, as the host does.
const provider = () => host!.capability<Provider>(providerCapability(id))
let id = ''

async function read({ feature, since }: { readonly feature: Feature; readonly since?: string }) {
  const request: ReadRequest = { feature, ...(since === undefined ? {} : { since }) }
  let rows = 0
  const startedAt = performance.now()
  for await (const part of provider().read('default', request)) {
    if (part.type === 'rows') rows += part.rows.length
    else return { rows, ms: performance.now() - startedAt, ...part.end, unreadable: part.end.unreadable?.length ?? 0 }
  }
  throw new Error('the read had no end')
}

answerQuestions({
  async start({
    provider: wanted,
    settings,
    isolated = false,
  }: {
    readonly provider: string
    /** On its own thread. */
    readonly isolated?: boolean
    readonly settings: Readonly<Record<string, unknown>>
  }) {
    const registry = JSON.parse(await readFile(new URL('plugin-registry.json', ROOT), 'utf8')) as {
      plugins: { source: string }[]
    }
    for (const { source } of registry.plugins) {
      const manifest = new URL(`${source}/plugin.json`, ROOT)
      const parsed = JSON.parse(await readFile(manifest, 'utf8')) as { provider?: { id: string } }
      if (parsed.provider?.id !== wanted) continue
      const { default: plugin } = await import(new URL(`${source}/index.ts`, ROOT).href)
      host = await createTestHost({
        plugin,
        manifest,
        config: settings,
        ...(isolated ? { isolated: fileURLToPath(new URL(source, ROOT)) } : {}),
        capabilities: { accounts: createTestAccounts() },
      })
      id = wanted
    }
    const { features } = await provider().describe()
    return features
  },
  /** Microseconds per small call through the capability. */
  async call({ times }: { readonly times: number }) {
    for (let turn = 0; turn < times; turn += 1) await provider().profiles()
    const startedAt = performance.now()
    for (let turn = 0; turn < times; turn += 1) await provider().profiles()
    return ((performance.now() - startedAt) / times) * 1_000
  },
  probe: () => provider().probe('default'),
  read,
  /** Like `read`, with the additional peak memory of the process. */
  async readInMemory(request: Parameters<typeof read>[0]) {
    globalThis.gc?.()
    const before = process.memoryUsage.rss()
    peak = before
    const ended = await read(request)
    return { ...ended, grownBytes: peak - before }
  },
  async write({
    feature,
    items,
    most,
  }: {
    readonly feature: Feature
    readonly items: readonly Item[]
    readonly most: number
  }) {
    const outcomes = new Map<string, number>()
    const startedAt = performance.now()
    let open = items.map((item, index) => ({ key: `k${index}`, item }))
    while (open.length > 0) {
      const batch = open.splice(0, most)
      const told = await provider().write('default', { feature, op: 'add', items: batch })
      for (const { outcome, reason } of told.outcomes) {
        const text = reason === undefined ? outcome : `${outcome}: ${reason}`
        // Like the engine, retry rate limited items after the wait.
        if (outcome !== 'rate_limited') outcomes.set(text, (outcomes.get(text) ?? 0) + 1)
      }
      const limited = told.outcomes.filter(({ outcome }) => outcome === 'rate_limited').map(({ key }) => key)
      if (limited.length > 0) {
        open = [...batch.filter(({ key }) => limited.includes(key)), ...open]
        await new Promise((resolve) => setTimeout(resolve, told.retryAfterMs ?? 1_000))
      }
    }
    return { ms: performance.now() - startedAt, outcomes: Object.fromEntries(outcomes) }
  },
})
