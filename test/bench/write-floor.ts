// The floor of `bench -- write`: the same lists and the same number of writes with only the HTTP client, in a process of
// its own.
import { Pool } from 'undici'
import { answerQuestions } from './child.ts'

const SOURCE_PAGE = 2_500
const TARGET_PAGE = 2_000

interface Side {
  readonly url: string
  readonly userId: string
  readonly headers: Readonly<Record<string, string>>
}

interface Row {
  readonly Id: string
}

answerQuestions({
  async write({
    source,
    target,
    count,
    concurrency,
  }: {
    readonly source: Side
    readonly target: Side
    readonly count: number
    readonly concurrency: number
  }) {
    const from = new Pool(source.url, { connections: concurrency })
    const to = new Pool(target.url, { connections: concurrency })
    const before = process.cpuUsage()
    const startedAt = performance.now()
    const played = readAll(
      from,
      source,
      `/Items?userId=${source.userId}&filters=IsPlayed&enableUserData=true`,
      SOURCE_PAGE,
    )
    const library = readAll(to, target, `/Users/${target.userId}/Items?EnableUserData=false`, TARGET_PAGE)
    const ids = (await Promise.all([played, library]))[1].slice(0, count).values()
    const write = async () => {
      for (const { Id } of ids) {
        const answer = await to.request({
          method: 'POST',
          path: `/Users/${target.userId}/PlayedItems/${Id}?DatePlayed=20260101000000`,
          headers: target.headers,
        })
        if (answer.statusCode !== 200) throw new Error(`a bare write was answered with ${answer.statusCode}`)
        await answer.body.json()
      }
    }
    await Promise.all(Array.from({ length: concurrency }, write))
    const wallMs = performance.now() - startedAt
    const { user, system } = process.cpuUsage(before)
    await Promise.all([from.close(), to.close()])
    return { wallMs, usedMs: (user + system) / 1_000 }
  },
})

async function readAll(pool: Pool, { headers }: Side, path: string, limit: number): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (;;) {
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path: `${path}&recursive=true&includeItemTypes=Movie,Episode&fields=ProviderIds&startIndex=${rows.length}&limit=${limit}`,
      headers,
    })
    if (statusCode !== 200) throw new Error(`a list was answered with ${statusCode}`)
    const { Items, TotalRecordCount } = (await body.json()) as {
      readonly Items: readonly Row[]
      readonly TotalRecordCount: number
    }
    rows.push(...Items)
    if (Items.length === 0 || rows.length >= TotalRecordCount) return rows
  }
}
