// The episodes of a show by season: which account has which as watched.
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { IconReplace } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { Fold } from '../../parts/page/fold.tsx'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { episodeCode } from '../../parts/values/episode.ts'
import { useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { titlePage as texts } from '../../texts/en/title.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import type { TitleData } from './data.ts'
import type { Part } from './match.tsx'

const FixMatch = lazyPart(() => import('./match.tsx'))

type Episodes = Answer<'GET /api/library/{key}/episodes'>
type Episode = Episodes['episodes'][number]
type Account = Episode['accounts'][number]

const LIST = new Intl.ListFormat(locale)

interface SeasonsProps {
  readonly title: TitleData
  /** Undefined while they are read. */
  readonly known: Episodes | undefined
}

export function Seasons({ title, known }: SeasonsProps) {
  const [fixed, setFixed] = useState<Part | null>(null)
  const seasons = [...Map.groupBy(known?.episodes ?? [], ({ season }) => season)]
  return (
    <>
      {title.seasons.map(({ season, accounts }) => (
        <div key={season} className="line">
          <Fold
            title={
              <Season
                season={season}
                accounts={accounts}
                aired={known?.aired == null ? null : known.episodes.filter((one) => one.season === season).length}
              />
            }
          >
            <ul className="plain-list">
              {(seasons.find(([number]) => number === season)?.[1] ?? []).map((one) => (
                <Row key={one.episode} episode={one} onFix={setFixed} />
              ))}
            </ul>
          </Fold>
        </div>
      ))}
      {fixed === null ? null : (
        <Suspense fallback={null}>
          <FixMatch title={title} part={fixed} onClose={() => setFixed(null)} />
        </Suspense>
      )}
    </>
  )
}

interface SeasonProps {
  readonly season: number
  readonly accounts: TitleData['seasons'][number]['accounts']
  /** Null if it is not known: then there is nothing that a bar could be full of. */
  readonly aired: number | null
}

function Season({ season, accounts, aired }: SeasonProps) {
  const { account } = useNames()
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {season === 0 ? texts.specials : say(texts.season, { n: season })}
      </Text>
      {accounts.map(({ provider, instance, episodes }) => (
        <Group key={`${provider}@${instance}`} gap="sm" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" w="9rem">
            <ServiceMark provider={provider} size={16} />
            <Text size="xs" c="dimmed" truncate>
              {account(provider, instance)}
            </Text>
          </Group>
          {aired === null ? null : (
            <Progress value={(episodes / Math.max(aired, episodes)) * 100} className="grow" aria-hidden />
          )}
          <Text size="xs" miw="7rem">
            {countText(episodes, aired)}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}

function Row({ episode: one, onFix }: { readonly episode: Episode; readonly onFix: (part: Part) => void }) {
  const { account } = useNames()
  const { season, episode, title, accounts } = one
  const code = episodeCode(season, episode)
  const nameOf = ({ provider, instance }: Account) => account(provider, instance)
  return (
    <Group component="li" justify="space-between" gap="xs" py="2xs" wrap="nowrap">
      <div className="grow">
        <Text size="sm" truncate>
          {title === '' ? code : `${code} · ${title}`}
        </Text>
        <Text size="xs" c="dimmed">
          {accounts.length === 0
            ? texts.unwatched
            : say(texts.watchedAt, { services: LIST.format(accounts.map(nameOf)) })}
        </Text>
      </div>
      {accounts.length === 0 ? null : (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconReplace size={14} aria-hidden />}
          aria-label={say(texts.match.openEpisode, { episode: code })}
          onClick={() => onFix({ season, episode, accounts })}
        >
          {texts.match.open}
        </Button>
      )}
    </Group>
  )
}

/** "12 of 20 episodes"; without the number of aired ones, "12 episodes". */
export function countText(episodes: number, aired: number | null): string {
  return aired === null || aired < episodes
    ? say(texts.count, { n: episodes })
    : say(texts.countOf, { n: episodes, all: aired })
}
