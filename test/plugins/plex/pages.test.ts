// A list is complete only if every row arrived, for any server fault.
import { definePlugin } from '@playhead/sdk'
import { createTestHost, startServer } from '@playhead/sdk/testing'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { type ListingEnd, readPages } from '../../../plugins/providers/plex/read/pages.ts'

interface Fault {
  readonly what: 'none' | 'drop' | 'repeat' | 'shift' | 'total' | 'no_total' | 'empty'
  readonly page: number
}

const FAULTS = ['none', 'drop', 'repeat', 'shift', 'total', 'no_total', 'empty'] as const

const fault = fc.record<Fault>({ what: fc.constantFrom(...FAULTS), page: fc.nat({ max: 6 }) })

t.test('a read that calls itself complete has every row once', async (t) => {
  let served: { readonly count: number; readonly size: number; readonly fault: Fault } = {
    count: 0,
    size: 1,
    fault: { what: 'none', page: 0 },
  }
  const server = await startServer(({ query }) => {
    const {
      count,
      size,
      fault: { what, page },
    } = served
    const asked = Number(query.get('X-Plex-Container-Start'))
    const isHit = asked === page * size
    const start = isHit && what === 'repeat' ? 0 : isHit && what === 'shift' ? asked + 1 : asked
    const all = Array.from({ length: Math.max(0, Math.min(size, count - start)) }, (_, index) => ({
      ratingKey: String(start + index),
    }))
    const rows = isHit && what === 'drop' ? all.slice(1) : isHit && what === 'empty' ? [] : all
    const total =
      isHit && what === 'total' ? { totalSize: count + 1 } : isHit && what === 'no_total' ? {} : { totalSize: count }
    return {
      json: { MediaContainer: { size: rows.length, ...total, ...(rows.length === 0 ? {} : { Metadata: rows }) } },
    }
  })
  const host = await createTestHost({ plugin: definePlugin({}) })
  t.teardown(async () => {
    await host.close()
    await server.close()
  })
  const http = host.ctx.upstream.account({ account: 'test', baseUrl: server.url })
  const seen = new Set<string>()

  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 12 }), fc.integer({ min: 1, max: 4 }), fault, async (count, size, with_) => {
      served = { count, size, fault: with_ }
      const pages = readPages(http, { path: '/list', size, keyOf: ({ ratingKey }) => ratingKey })
      const keys: unknown[] = []
      let end: ListingEnd | undefined
      for (let page = await pages.next(); end === undefined; page = page.done === true ? page : await pages.next()) {
        if (page.done === true) end = page.value
        else keys.push(...page.value.map(({ ratingKey }) => ratingKey))
      }
      seen.add(end.reason ?? 'complete')
      const isWhole = keys.length === count && new Set(keys).size === count
      return end.reason !== undefined || isWhole
    }),
    { numRuns: runsOf(300), examples: FAULTS.flatMap((what) => [0, 1].map((page) => [6, 2, { what, page }])) },
  )
  t.same([...seen].sort(), ['changed_while_reading', 'complete', 'repeated_page', 'total_mismatch', 'total_missing'])
})
