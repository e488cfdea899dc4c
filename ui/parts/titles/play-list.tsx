// Plays as rows: poster, title, time, services.
import { Anchor, Badge, Box, Group, Text, Tooltip } from '@mantine/core'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { episodeCode } from '../values/episode.ts'
import { useNames } from '../values/names.ts'
import { ServiceMark } from '../values/service-mark.tsx'
import { PosterImage } from '../values/poster-image.tsx'
import { history as texts } from '../../texts/en/history.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { pictureOf, titleAddress } from './pictures.ts'

export type Play = Answer<'GET /api/history'>['items'][number]

const TIME = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const DATE_LENGTH = 10

/** `isOfTitle`: the page shows one title, so that rows show the day instead. */
export function PlayRow({ play, isOfTitle = false }: { readonly play: Play; readonly isOfTitle?: boolean }) {
  const { account } = useNames()
  const code = episodeCode(play.season, play.episode)
  const title = play.title || texts.untitled
  const part = [code, play.episode_title].filter((one) => one !== null && one !== '').join(' · ')
  const services = (
    <Group gap="2xs" wrap="nowrap" className="play-services">
      {play.services.map((one) => (
        <ServiceMark key={`${one.provider} ${one.instance}`} provider={one.provider} size={16} />
      ))}
      <Text size="xs" c="dimmed" truncate>
        {play.services.map((one) => account(one.provider, one.instance)).join(', ')}
      </Text>
    </Group>
  )
  return (
    <div className="play" data-title={isOfTitle || undefined}>
      {isOfTitle ? null : (
        <Box w={32} className="play-poster" aria-hidden>
          <PosterImage src={pictureOf({ kind: play.type, ids: play.ids }, 185)} title={title} isSmall />
        </Box>
      )}
      <div className="play-name">
        {isOfTitle ? (
          <Text size="sm" truncate>
            {part === '' ? dayText(play) : part}
          </Text>
        ) : (
          <>
            <Anchor component={Link} href={titleAddress(play.key)} size="sm" fw={600} c="bright" className="two-lines">
              {play.type === 'movie' && play.year !== null ? `${title} (${play.year})` : title}
            </Anchor>
            {part === '' ? null : (
              <Text size="xs" c="dimmed" truncate>
                {part}
              </Text>
            )}
          </>
        )}
      </div>
      {services}
      {play.duplicates === 0 ? null : (
        <Tooltip
          label={play.services
            .filter(({ count }) => count > 1)
            .map((one) => say(texts.twiceText, { service: account(one.provider, one.instance), n: one.count }))
            .join(', ')}
        >
          <Badge variant="light" color="orange" className="play-twice">
            {say(texts.twice, { n: play.duplicates })}
          </Badge>
        </Tooltip>
      )}
      <Text size="xs" c="dimmed" component="div" className="play-time">
        {isOfTitle && part !== '' ? `${dayText(play)} ` : null}
        {hasTime(play) ? (
          <time dateTime={play.watched_at}>{TIME.format(Date.parse(play.watched_at))}</time>
        ) : (
          texts.noTime
        )}
      </Text>
    </div>
  )
}

export function PlayList({ plays }: { readonly plays: readonly Play[] }) {
  return (
    <ul className="plain-list">
      {plays.map((play) => (
        <li key={`${play.watched_at} ${play.season} ${play.episode}`}>
          <PlayRow play={play} isOfTitle />
        </li>
      ))}
    </ul>
  )
}

function hasTime({ watched_at: at }: Play): boolean {
  return at.length > DATE_LENGTH
}

function dayText({ day }: Play): string {
  return DAY.format(new Date(`${day}T12:00:00`))
}
