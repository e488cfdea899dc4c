// Episodes that Playhead's own tracker has of a show.
import { type Client, expectOk } from '../demo/sign-in.ts'

const addressOf = (key: string) => `/api/library/${encodeURIComponent(key)}`

/** Marks an episode of the first season as watched there, by the ids of its show and its number. */
export async function watchOnTracker(client: Client, key: string, episode: number): Promise<void> {
  const { ids, title } = (await client.json(addressOf(key))).body
  await expectOk(client, '/api/manual/watched', {
    item: { type: 'episode', ids: {}, show_ids: ids, series_title: title, season: 1, episode },
    providers: [{ provider: 'SVC', instance: 'default' }],
  })
}

/** The numbers of its watched episodes. */
export async function episodesOfTracker(client: Client, key: string): Promise<readonly number[]> {
  await client.json('/api/library?fresh=true')
  const { episodes } = (await client.json(`${addressOf(key)}/episodes`)).body
  return episodes.flatMap((one: { episode: number; accounts: { provider: string }[] }) =>
    one.accounts.some(({ provider }) => provider === 'SVC') ? [one.episode] : [],
  )
}
