// Last run and next run. The boxes keep their size while they load.
import { Anchor, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { nowAtServiceMs } from '../../api/clock.ts'
import { useRead } from '../../api/query.ts'
import { type Names, useNames } from '../../parts/values/names.ts'
import type { PairStatus } from '../../parts/runs/pair-status.ts'
import { isSync, resultText } from '../../parts/runs/run-badge.tsx'
import { changesText } from '../../parts/runs/run-text.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { home } from '../../texts/en/home.ts'
import { runs as runTexts } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'

const { facts } = home

interface FactsProps {
  readonly runs: UseQueryResult<Answer<'GET /api/runs'>, Error>
  readonly pairs: readonly PairStatus[]
  /** Nothing is fetched until then. */
  readonly isSeen: boolean
}

export function Facts({ runs, pairs, isSeen }: FactsProps) {
  const next = useRead(['schedule', 'next'], 'GET /api/scheduling/next', undefined, {
    refetchInterval: 60_000,
    enabled: isSeen,
  })
  const names = useNames()
  const last = runs.data?.runs.find(({ running }) => !running)
  const nextPair = pairs.find(({ id }) => id === next.data?.pair_id)
  const nextAtMs = (next.data?.next_run_at ?? 0) * 1000
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} component="section" aria-label={facts.label}>
      <Fact
        name={facts.last}
        isRead={runs.data !== undefined || runs.isError}
        value={last === undefined ? facts.lastNone : <TimeText at={last.finished_at ?? last.started_at} />}
        hint={last === undefined ? facts.lastNoneText : outcomeOf(last, names)}
        {...(last === undefined ? {} : { href: `/runs/${last.run_id}`, link: facts.openRun })}
      />
      <Fact
        name={facts.next}
        isRead={next.data !== undefined || next.isError}
        value={
          nextAtMs === 0 ? (
            facts.nextNone
          ) : nextAtMs <= nowAtServiceMs() ? (
            facts.nextNow
          ) : (
            <TimeText isAhead at={nextAtMs} />
          )
        }
        hint={
          nextAtMs === 0
            ? facts.nextNoneText
            : nextPair === undefined
              ? facts.nextAll
              : say(facts.nextPair, { name: nextPair.name })
        }
        href="/schedule"
        link={nextAtMs === 0 ? facts.nextSet : facts.openSchedule}
      />
    </SimpleGrid>
  )
}

interface FactProps {
  readonly name: string
  readonly isRead: boolean
  readonly value: ReactNode
  readonly hint: string
  readonly href?: string
  readonly link?: string
}

function Fact({ name, isRead, value, hint, href, link }: FactProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      {isRead ? (
        <Text size="lg" fw={600} mt="3xs" component="div">
          {value}
        </Text>
      ) : (
        <Skeleton h={24} my="2xs" w="60%" />
      )}
      <Text size="sm" c="dimmed" mih={20}>
        {isRead ? hint : ' '}
        {isRead && href !== undefined ? (
          <>
            {' '}
            ·{' '}
            <Anchor component={Link} href={href} inherit underline="always">
              {link}
            </Anchor>
          </>
        ) : null}
      </Text>
    </Paper>
  )
}

function outcomeOf(run: Answer<'GET /api/runs'>['runs'][number], names: Names): string {
  if (!isSync(run)) return `${runTexts.sources[run.source as 'undo']}: ${changesText(run)}`
  return `${resultText(run, names)}: ${changesText(run)}`
}
