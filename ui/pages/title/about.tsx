// Overview, genres and length of the title, from the metadata service if it has a key.
import { Badge, Group, Text } from '@mantine/core'
import { useRead } from '../../api/query.ts'
import { titlePage as texts } from '../../texts/en/title.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import type { TitleData } from './data.ts'

const HOUR = 60
const SHOWN_CAST = 6
const LIST = new Intl.ListFormat(locale)
const DAY_MS = 86_400_000

export function About({ title }: { readonly title: TitleData }) {
  const { data: providers } = useRead(
    ['metadata', 'providers'],
    'GET /api/metadata/providers',
    {},
    { staleTime: DAY_MS },
  )
  const { data } = useRead(
    ['metadata', 'title', title.key],
    'POST /api/metadata/resolve',
    {
      body: {
        entity: title.kind,
        ids: title.ids,
        need: { overview: true, tagline: true, genres: true, cast: true, runtime_minutes: true },
      },
    },
    { enabled: providers?.some(({ ready }) => ready) === true, staleTime: DAY_MS },
  )
  const about = data?.found === true ? data.result : undefined
  if (about === undefined) return null
  const { overview = '', genres = [], cast = [], runtime_minutes: minutes = null } = about
  return (
    <>
      {genres.length === 0 && minutes === null ? null : (
        <Group gap="xs">
          {minutes === null || minutes <= 0 ? null : (
            <Badge variant="default" tt="none">
              {minutes < HOUR
                ? say(texts.minutes, { minutes })
                : say(texts.hours, { hours: Math.floor(minutes / HOUR), minutes: minutes % HOUR })}
            </Badge>
          )}
          {genres.slice(0, 4).map((genre) => (
            <Badge key={genre} variant="default" tt="none">
              {genre}
            </Badge>
          ))}
        </Group>
      )}
      {overview === '' ? null : (
        <Text size="sm" maw="70ch" lineClamp={5} dir="auto">
          {overview}
        </Text>
      )}
      {cast.length === 0 ? null : (
        <Text size="sm" c="dimmed" maw="70ch" lineClamp={2}>
          {say(texts.cast, { names: LIST.format(cast.slice(0, SHOWN_CAST).map(({ name }) => name)) })}
        </Text>
      )}
    </>
  )
}
