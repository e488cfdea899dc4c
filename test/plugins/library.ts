// The library over rows in memory. Its reader responds as from a thread: with copies, and asynchronously.
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Remote } from '@playhead/sdk'
import { isAsyncIterable, valueOrStream } from '../../core/host/compose/remote.ts'
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
      (...given: never[]) =>
        valueOrStream(later(() => (target[name] as (...given: never[]) => unknown)(...given))),
  }) as unknown as Remote<Reader>
}

async function later(ask: () => unknown): Promise<unknown> {
  await turn()
  const answer = await ask()
  return isAsyncIterable(answer) ? inTurns(answer) : structuredClone(answer)
}

async function* inTurns(pages: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const page of pages) {
    await turn()
    yield structuredClone(page)
  }
}

async function* nothing(): AsyncGenerator<never> {}
