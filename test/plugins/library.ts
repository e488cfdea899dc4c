// The library over rows in memory. Its reader responds as from a thread: with copies, and asynchronously.
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Remote } from '@playhead/sdk'
import type { Holdings } from '../../plugins/services/sync/library/holdings.ts'
import { createReader, type Reader, type ReaderOptions } from '../../plugins/services/sync/library/reader.ts'
import {
  createLibrary,
  type ReadOnlyLibrary,
  type LibraryOptions,
} from '../../plugins/services/sync/library/service.ts'

type GivenHoldings = Omit<Holdings, 'texts'>

export function libraryOf({
  holdings: given,
  trackerRows = nothing,
  trackerItems = async () => [],
  ...options
}: Omit<LibraryOptions, 'reader' | 'stateNow' | 'providers'> &
  Partial<Pick<LibraryOptions, 'stateNow' | 'providers'>> &
  Partial<Omit<ReaderOptions, 'holdings'>> & { readonly holdings: GivenHoldings }): ReadOnlyLibrary {
  const holdings: Holdings = {
    ...given,
    async *texts(...account) {
      for await (const page of given.rows(...account))
        yield `[${page.map(({ key, item }) => JSON.stringify([key, item])).join(',\n')}]`
    },
  }
  return createLibrary({
    reader: asFromThread(createReader({ holdings, trackerRows, trackerItems })),
    // Changes of rows in memory are not counted.
    stateNow: randomUUID,
    providers: () => 0,
    ...options,
  })
}

function asFromThread(reader: Reader): Remote<Reader> {
  return new Proxy(reader, {
    get:
      (target, name: keyof Reader) =>
      async (...given: never[]) => {
        await turn()
        const answer: unknown = await (target[name] as (...given: never[]) => unknown)(...given)
        return isStream(answer) ? inTurns(answer) : structuredClone(answer)
      },
  }) as unknown as Remote<Reader>
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
}

async function* inTurns(pages: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const page of pages) {
    await turn()
    yield structuredClone(page)
  }
}

async function* nothing(): AsyncGenerator<never> {}
