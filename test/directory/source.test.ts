// Requests of the plugin to a mirror: a list that is in use is not sent again, and one that was lost is.
import t from 'tap'
import type { KeyValueStore, Logger, UpstreamFactory } from '@playhead/sdk'
import { createCatalogueSource } from '../../plugins/services/directory/source.ts'
import { catalogueOf } from './catalogues.ts'

const ETAG = '"list-9"'

function open() {
  const stored = new Map<string, unknown>()
  const asked: (string | undefined)[] = []
  const given: string[] = []
  let serial = 1
  const state = { answersAlways: null as number | null, serialOfMirror: 9 }
  const request = async ({ headers = {} }: { headers?: Record<string, string> }) => {
    asked.push(headers['if-none-match'])
    const status = state.answersAlways ?? (headers['if-none-match'] === ETAG ? 304 : 200)
    const body = status === 200 ? 'list' : ''
    return { status, headers: { etag: ETAG }, stream: () => [Buffer.from(body)] }
  }
  const directory = {
    catalogue: async () => ({ from: 'fetched' as const, catalogue: catalogueOf([], { serial }) }),
    async offer(file: Uint8Array) {
      given.push(Buffer.from(file).toString())
      if (file.length === 0) throw new Error('not JSON')
      serial = state.serialOfMirror
      return true
    },
  }
  const source = createCatalogueSource({
    config: { address: 'http://plugins.example/list.json' },
    store: {
      get: async (key: string) => stored.get(key),
      set: async (key: string, value: unknown) => void stored.set(key, value),
    } as object as KeyValueStore,
    upstream: { account: () => ({ request }) } as object as UpstreamFactory,
    log: { warn() {} } as object as Logger,
    directory,
  })
  return { source, asked, given, state, useList: (next: number) => void (serial = next) }
}

t.test('a list that is lost is asked for again', async (t) => {
  const { source, asked, useList } = open()
  t.equal(await source.look(), 'newer')
  t.equal(await source.look(), 'same')
  // The kept file was deleted, or a backup without it was restored.
  useList(1)
  t.equal(await source.look(), 'newer')
  // An update of Playhead brought a newer one.
  useList(12)
  t.equal(await source.look(), 'same')
  t.same(asked, [undefined, ETAG, undefined, ETAG])
})

t.test('"not modified" without a list before it is a failure', async (t) => {
  const { source, state, given } = open()
  state.answersAlways = 304
  t.equal(await source.look(), 'failed')
  t.not((await source.state()).error, null)
  t.same(given, [''])
})
