// An export of MyAnimeList for the checks of the format. Texts by the names of their files.

export interface Entry {
  readonly id: number
  readonly title?: string
  readonly type?: string
  readonly episodes?: number
  readonly watched?: number
  readonly status?: string
  readonly score?: number
  readonly finish?: string
  readonly rewatching?: number
}

/** An entry as MyAnimeList writes it. */
const entryOf = ({
  id,
  title = `Title ${id}`,
  type = 'TV',
  episodes = 12,
  watched = 0,
  status = 'Watching',
  score = 0,
  finish = '0000-00-00',
  rewatching = 0,
}: Entry) => `
    <anime>
      <series_animedb_id>${id}</series_animedb_id>
      <series_title><![CDATA[${title}]]></series_title>
      <series_type>${type}</series_type>
      <series_episodes>${episodes}</series_episodes>
      <my_id>0</my_id>
      <my_watched_episodes>${watched}</my_watched_episodes>
      <my_start_date>0000-00-00</my_start_date>
      <my_finish_date>${finish}</my_finish_date>
      <my_rated></my_rated>
      <my_score>${score}</my_score>
      <my_storage></my_storage>
      <my_storage_value>0.00</my_storage_value>
      <my_status>${status}</my_status>
      <my_comments><![CDATA[]]></my_comments>
      <my_times_watched>0</my_times_watched>
      <my_priority>LOW</my_priority>
      <my_tags><![CDATA[]]></my_tags>
      <my_rewatching>${rewatching}</my_rewatching>
      <my_rewatching_ep>0</my_rewatching_ep>
      <update_on_import>0</update_on_import>
    </anime>`
export const fileOf = (entries: readonly Entry[], type = 1) => `<?xml version="1.0" encoding="UTF-8" ?>
<!--
 Created by XML Export feature at MyAnimeList.net
-->
<myanimelist>
    <myinfo>
      <user_id>7001</user_id>
      <user_name>ann</user_name>
      <user_export_type>${type}</user_export_type>
      <user_total_anime>${entries.length}</user_total_anime>
    </myinfo>${entries.map(entryOf).join('')}
</myanimelist>
`

export default {
  'animelist.xml': fileOf([
    { id: 1, watched: 2, score: 5 },
    { id: 2, type: 'Movie', status: 'Completed' },
    { id: 3, status: 'Plan to Watch' },
  ]),
}
