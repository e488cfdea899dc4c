// Plays and their result at each account.
import { Group, Paper, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { episodeCode } from '../../parts/values/episode.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { StatusBadge, type Tone } from '../../parts/values/status-badge.tsx'
import type { Work } from '../../parts/titles/title-search.tsx'
import { plays as texts } from '../../texts/en/plays.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import { type ActionResult, idOf, type Play, type Target, type Watched } from './state.ts'

const MOMENT = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** The combined result of all requests at one account, or its preview. */
interface AccountSum {
  readonly id: string
  readonly provider: string
  readonly planned: number
  readonly done: number
  readonly already: number
  readonly pending: number
  readonly left: number
  readonly reasons: readonly string[]
  /** Plans that can be undone. */
  readonly plans: readonly string[]
}

export function sumOf(answers: readonly Watched[]): readonly AccountSum[] {
  const sums = new Map<string, AccountSum>()
  for (const { results } of answers)
    for (const { provider, instance, error, history, rating } of results) {
      const id = idOf({ provider, instance })
      const before = sums.get(id) ?? {
        ...{ id, provider, planned: 0, done: 0, already: 0, pending: 0, left: 0 },
        ...{ reasons: [], plans: [] },
      }
      const reasons = [error, history?.reason, rating?.reason].flatMap((one) => one ?? [])
      const plans = [history, rating].flatMap((one) =>
        one?.plan_id !== undefined && one.status !== 'already' ? [one.plan_id] : [],
      )
      const counts = countOf(history ?? { status: 'failed' })
      sums.set(id, {
        ...before,
        planned: before.planned + counts.planned,
        done: before.done + counts.done,
        already: before.already + counts.already,
        pending: before.pending + counts.pending,
        left: before.left + counts.left,
        reasons: [...new Set([...before.reasons, ...reasons])],
        plans: [...before.plans, ...plans],
      })
    }
  return [...sums.values()]
}

function countOf({ status, episodes, pending }: ActionResult) {
  const none = { planned: 0, done: 0, already: 0, pending: 0, left: 0 }
  if (pending === true) return { ...none, pending: episodes?.total ?? 1 }
  if (episodes !== undefined) {
    const { done, already, unresolved, failed } = episodes
    return status === 'planned'
      ? { ...none, planned: done, already, left: unresolved }
      : { ...none, done, already, left: unresolved + failed }
  }
  if (status === 'planned' || status === 'done' || status === 'already') return { ...none, [status]: 1 }
  return { ...none, left: 1 }
}

export function AccountResults({
  sums,
  targets,
}: {
  readonly sums: readonly AccountSum[]
  readonly targets: readonly Target[]
}) {
  return (
    <Paper withBorder px="md" component="ul" m={0} style={{ listStyle: 'none' }} aria-label={texts.plan.accounts}>
      {sums.map((sum) => {
        const { tone, label } = labelOf(sum)
        return (
          <Group component="li" className="line" py="xs" justify="space-between" key={sum.id} gap="xs">
            <Group gap="xs" wrap="nowrap">
              <ServiceMark provider={sum.provider} />
              <Text size="sm" fw={600}>
                {targets.find((one) => idOf(one) === sum.id)?.display ?? sum.provider}
              </Text>
            </Group>
            <Stack gap="3xs" align="flex-end">
              <StatusBadge tone={tone} label={label} />
              {sum.reasons.map((code) => (
                <Text key={code} size="xs" c="dimmed" ta="right">
                  {(texts.reasons as Readonly<Record<string, string>>)[code] ?? code}
                </Text>
              ))}
            </Stack>
          </Group>
        )
      })}
    </Paper>
  )
}

function labelOf({ planned, done, already, pending, left }: AccountSum): {
  readonly tone: Tone
  readonly label: string
} {
  const { status } = texts
  const total = planned + done + already + pending + left
  if (pending > 0) return { tone: 'busy', label: status.pending }
  if (planned > 0)
    return { tone: 'idle', label: planned === total ? status.planned : say(status.some, { n: planned, total }) }
  if (done > 0)
    return {
      tone: left > 0 ? 'warn' : 'good',
      label: left > 0 ? say(status.doneSome, { n: done + already, total }) : status.done,
    }
  return left === 0 ? { tone: 'good', label: status.already } : { tone: 'warn', label: status.unresolved }
}

export function PlayTable({
  work,
  plays,
  isNow,
}: {
  readonly work: Work
  readonly plays: readonly Play[]
  readonly isNow: boolean
}) {
  const columns = useMemo(
    (): readonly Column<Play>[] => [
      {
        id: 'what',
        header: texts.plan.columns.what,
        width: '2fr',
        isTitle: true,
        cell: ({ season, episode, title }) => {
          const text = [
            ...(season === null ? [work.year === null ? work.title : `${work.title} (${work.year})`] : [work.title]),
            ...(episodeCode(season, episode) === '' ? [] : [episodeCode(season, episode)]),
            ...(season === null || title === null ? [] : [title]),
          ].join(' · ')
          return (
            <Text size="sm" truncate title={text} dir="auto">
              {text}
            </Text>
          )
        },
      },
      {
        id: 'when',
        header: texts.plan.columns.when,
        width: '1.3fr',
        cell: ({ watched_at: at, watched_on: day }) => (
          <Text size="sm" truncate title={at}>
            {isNow
              ? texts.plan.now
              : day === null
                ? MOMENT.format(Date.parse(at))
                : say(texts.plan.dayOnly, { day: DAY.format(Date.parse(day)) })}
          </Text>
        ),
      },
    ],
    [work, isNow],
  )
  return (
    <Stack gap="2xs">
      <Text size="sm" c="dimmed" role="status">
        {say(texts.plan.plays, { n: plays.length })}
      </Text>
      <DataTable
        label={texts.plan.label}
        columns={columns}
        rows={plays}
        rowKey={({ type, season, episode }) => `${type} ${season} ${episode}`}
        height={320}
      />
    </Stack>
  )
}
