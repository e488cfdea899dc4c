// One item across all runs and services: its status, problems, where it is, and its timeline.
import { Alert, Anchor, Badge, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { IconAlertTriangle, IconCheck, IconMinus, IconMoodEmpty, IconTrash } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import type { ApiError } from '../../api/error.ts'
import { useChange, useRead } from '../../api/query.ts'
import { featureName, useNames, type Names } from '../../parts/values/names.ts'
import { isAbsent } from '../../parts/page/absent.tsx'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { NextStep } from '../../parts/page/next-step.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { events } from '../../texts/en/events.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { EventTimeline } from './timeline.tsx'
import {
  eventSentence,
  groupSteps,
  itemName,
  reasonSentence,
  toneOf,
  type EventGroup,
  type EventRow,
} from '../../parts/values/event-text.ts'

type TitleData = Answer<'GET /api/library/{key}'>
type Pair = Answer<'GET /api/pairs/status'>['pairs'][number]
type Context = Answer<'GET /api/events/context'>['context']

const texts = events.item
const PAGE_ROWS = 100
const idOf = ({ id }: EventRow) => id

export function ItemPage({ itemKey }: { readonly itemKey: string }) {
  const list = useEndless({
    key: ['events', 'item', itemKey],
    size: PAGE_ROWS,
    read: ({ cursor: after }, signal) =>
      api('GET /api/events/search', {
        query: { item_key: itemKey, view: 'events', domain: 'all', visibility: 'all', limit: PAGE_ROWS, after },
        signal,
      }),
    rowsOf: ({ items }) => items as readonly EventRow[],
    idOf,
    totalOf: ({ total }) => total,
    cursorOf: ({ next }) => next,
    isWhole: true,
  })
  // Requested together with the list; the page is rendered when all have arrived.
  const context = useRead(['events', 'item', itemKey, 'context'], 'GET /api/events/context', {
    query: { item_key: itemKey },
  })
  const threads = useRead(['events', 'item', itemKey, 'threads'], 'GET /api/events/groups', {
    query: { item_key: itemKey, visibility: 'all', domain: 'all', limit: 100 },
  })
  // The accounts' values for the title, as on its own page: events alone do not prove that it is synced.
  const title = useRead(['library', 'title', itemKey], 'GET /api/library/{key}', { params: { key: itemKey } })
  const pairs = useRead(['pairs', 'status'], 'GET /api/pairs/status')
  const held = stateOf(itemKey, title.data, pairs.data?.pairs)
  const names = useNames()
  const isReady = !title.isPending && !pairs.isPending && !context.isPending && !threads.isPending && names.isKnown
  const { rows } = list
  const isNone = rows === undefined ? isAbsent(list.error) : isReady && rows.length === 0
  const named = rows?.find(({ title }) => title !== null) ?? rows?.[0]
  const known = named === undefined ? null : itemName({ ...named, season: null })
  return (
    <Page
      title={known === null ? texts.story : named?.year == null ? known : `${known} (${named.year})`}
      text={texts.intro}
      breadcrumbs={[{ title: shell.pages.events, href: '/events' }]}
    >
      {list.error === null || isNone ? null : <Failure error={list.error} onRetry={list.retry} />}
      {isNone ? (
        <EmptyState icon={IconMoodEmpty} title={texts.none} text={texts.noneText} action={<NextStep />} />
      ) : rows === undefined || !isReady ? (
        list.error === null ? (
          <Loading rows={6} />
        ) : null
      ) : (
        <Trace
          itemKey={itemKey}
          rows={rows}
          names={names}
          context={context}
          threads={threads}
          held={held}
          hasMore={list.hasMore}
          isLoadingMore={list.isLoadingMore}
          onMore={list.more}
        />
      )}
    </Page>
  )
}

function Trace({
  itemKey,
  rows,
  names,
  context,
  threads,
  held,
  hasMore,
  isLoadingMore,
  onMore,
}: {
  readonly itemKey: string
  readonly rows: readonly EventRow[]
  readonly names: Names
  readonly context: UseQueryResult<Answer<'GET /api/events/context'>, ApiError>
  readonly threads: UseQueryResult<Answer<'GET /api/events/groups'>, ApiError>
  readonly held: Held
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly onMore: () => void
}) {
  return (
    <Stack>
      <section aria-label={texts.answer}>
        <Title order={2} size="h5" mb="sm">
          {texts.answer}
        </Title>
        <QueryView query={threads} rows={2}>
          {({ items }) => (
            <Answers itemKey={itemKey} groups={items} rows={rows} context={context.data?.context} held={held} />
          )}
        </QueryView>
      </section>
      <Paper component="section" withBorder p="md" aria-label={texts.where}>
        <Title order={2} size="h5">
          {texts.where}
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          {texts.whereText}
        </Text>
        <QueryView query={context} rows={1}>
          {(known) => <Places context={known.context} />}
        </QueryView>
      </Paper>
      <Paper component="section" withBorder p="md" aria-label={texts.story}>
        <Title order={2} size="h5" mb="md">
          {texts.story}
        </Title>
        <EventTimeline rows={rows} nameOf={names.account} label={texts.story} />
        {hasMore ? (
          <Button mt="md" variant="default" loading={isLoadingMore} onClick={onMore}>
            {texts.earlier}
          </Button>
        ) : null}
        <Text size="xs" c="dimmed" mt="md">
          {texts.key}: {itemKey}
        </Text>
      </Paper>
    </Stack>
  )
}

/** The status of the item, from the latest state of each group. */
function Answers({
  itemKey,
  groups,
  rows,
  context,
  held: { missing, isKnown },
}: {
  readonly itemKey: string
  readonly held: Held
  readonly groups: readonly EventGroup[]
  readonly rows: readonly EventRow[]
  readonly context: Context | undefined
}) {
  const names = useNames()
  const open = groups.filter(({ status }) => toneOf(status) === 'bad' || toneOf(status) === 'warn')
  const unexplained = missing.filter(
    ({ feature, target }) =>
      !open.some(
        (group) =>
          group.feature === feature &&
          group.destination_provider === target.provider &&
          (group.destination_instance ?? 'default') === target.instance,
      ),
  )
  const removal = rows.find(
    ({ event_type: type, operation, reason_code: reason }) =>
      type === 'write_succeeded' && operation === 'remove' && reason !== 'already',
  )
  const isBack =
    removal !== undefined &&
    rows.some(
      (row) =>
        row.created_at >= removal.created_at &&
        row.id > removal.id &&
        row.event_type === 'write_succeeded' &&
        row.operation === 'add' &&
        row.destination_provider === removal.destination_provider,
    )
  return (
    <Stack gap="sm">
      {open.map((group) => {
        const { destination_provider: to, destination_instance: instance, reason_code: reason } = group
        const isHeld = reason?.startsWith('held') === true
        const title = isHeld
          ? texts.held
          : to === null
            ? texts.problemHere
            : say(texts.problem, { to: names.account(to, instance ?? undefined) })
        return (
          <Alert
            key={group.id}
            color={toneOf(group.status) === 'bad' ? 'red' : 'orange'}
            title={title}
            icon={<IconAlertTriangle aria-hidden />}
          >
            <Text fw={600}>{reasonSentence(group, names.account) ?? groupSteps(group)}</Text>
            <Text size="sm">{groupSteps(group)}</Text>
            {group.status === 'blackboxed' ? <OnHold itemKey={itemKey} /> : null}
            <Text size="sm">
              {group.feature === null ? '' : `${featureName(group.feature)} · `}
              {texts.lastTried} <TimeText at={(group.last_event_at ?? 0) * 1000} />
            </Text>
            <Anchor
              component={Link}
              href={isHeld ? '/pairs' : `/events/groups/${group.id}`}
              size="sm"
              underline="always"
              c="inherit"
            >
              {isHeld ? texts.heldAction : events.group.details}
            </Anchor>
          </Alert>
        )
      })}
      {removal === undefined || isBack ? null : (
        <Alert
          color="blue"
          title={say(texts.removed, {
            to: names.account(removal.destination_provider ?? '', removal.destination_instance ?? undefined),
          })}
          icon={<IconTrash aria-hidden />}
        >
          <Text fw={600}>{reasonSentence(removal, names.account) ?? eventSentence(removal, names.account)}</Text>
          <Text size="sm">
            <TimeText at={removal.created_at * 1000} />
            {removal.run_id === null ? null : (
              <>
                {' · '}
                <Anchor
                  component={Link}
                  href={`/runs/${encodeURIComponent(removal.run_id)}`}
                  size="sm"
                  underline="always"
                  c="inherit"
                >
                  {events.group.openRun}
                </Anchor>
              </>
            )}
          </Text>
          {context?.tombstone_state?.present === true ? <Text size="sm">{texts.tombstone}</Text> : null}
        </Alert>
      )}
      {unexplained.map(({ pair, feature, source, target }) => (
        <Alert
          key={`${pair.id} ${feature} ${target.provider}@${target.instance}`}
          color="orange"
          title={say(texts.missing, { to: names.account(target.provider, target.instance) })}
          icon={<IconAlertTriangle aria-hidden />}
        >
          <Text>
            {say(texts.missingText, {
              feature: featureName(feature),
              from: names.account(source.provider, source.instance),
              to: names.account(target.provider, target.instance),
            })}
          </Text>
          <Anchor component={Link} href={`/pairs/${pair.id}`} size="sm" underline="always" c="inherit">
            {texts.openPair}
          </Anchor>
        </Alert>
      ))}
      {open.length > 0 || unexplained.length > 0 ? null : isKnown ? (
        <Alert color="green" icon={<IconCheck aria-hidden />}>
          {texts.good}
        </Alert>
      ) : (
        <Text c="dimmed">{texts.noProblems}</Text>
      )}
    </Stack>
  )
}

interface Side {
  readonly provider: string
  readonly instance: string
}

interface Missing {
  readonly pair: Pair
  readonly feature: string
  readonly source: Side
  readonly target: Side
}

interface Held {
  readonly missing: readonly Missing[]
  /** Both sides of at least one pair were read since the play, so that they can be compared. */
  readonly isKnown: boolean
}

/** Differences between the sides of enabled pairs. Accounts are not compared for a part of a show. */
function stateOf(itemKey: string, title: TitleData | undefined, pairs: readonly Pair[] | undefined): Held {
  if (title === undefined || pairs === undefined || itemKey.includes('#')) return { missing: [], isKnown: false }
  const cell = (provider: string, instance: string, feature: string) =>
    title.matrix
      .find((one) => one.provider === provider && one.instance === instance)
      ?.features.find((one) => one.feature === feature)
  const compared = pairs
    .filter(({ enabled }) => enabled)
    .flatMap((pair) =>
      pair.features.flatMap(({ feature }) => {
        const sides = [
          { provider: pair.source, instance: pair.source_instance },
          { provider: pair.target, instance: pair.target_instance },
        ] as const
        const [a, b] = sides.map(({ provider, instance }) => cell(provider, instance, feature))
        if (a === undefined || b === undefined || a.stale || b.stale) return []
        const lacks: 0 | 1 | null =
          a.present && !b.present ? 1 : b.present && !a.present && pair.mode === 'two_way' ? 0 : null
        return [{ pair, feature, lacks, sides, isThere: a.present && b.present }]
      }),
    )
  return {
    missing: compared.flatMap(({ pair, feature, lacks, sides }) =>
      lacks === null ? [] : [{ pair, feature, source: sides[1 - lacks] ?? sides[0], target: sides[lacks] }],
    ),
    isKnown: compared.some(({ isThere }) => isThere),
  }
}

/** Takes the item off hold. */
function OnHold({ itemKey }: { readonly itemKey: string }) {
  const { mutate, isPending, isSuccess } = useChange('POST /api/run/unresolved/clear')
  const letGo = () =>
    mutate(
      { body: { key: itemKey } },
      { onSuccess: () => notifyDone(texts.triedNext), onError: (error) => notifyFailure(error) },
    )
  return (
    <Group gap="sm">
      <Text size="sm">{texts.quarantined}</Text>
      <Button size="compact-sm" variant="default" loading={isPending} disabled={isSuccess} onClick={letGo}>
        {texts.tryAgain}
      </Button>
    </Group>
  )
}

function Places({ context }: { readonly context: Context }) {
  const names = useNames()
  const places = context.analyzer_findings?.present_in ?? []
  if (places.length === 0) return <Text c="dimmed">{texts.unknownWhere}</Text>
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      {[...Map.groupBy(places, ({ feature }) => feature)].map(([feature, own]) => (
        <div key={feature}>
          <Text size="sm" fw={600} mb={4}>
            {featureName(feature)}
          </Text>
          <Group gap={6}>
            {own.map(({ provider, instance, present }) => (
              <Badge
                key={provider + instance}
                variant="light"
                color={present ? 'green' : 'gray'}
                tt="none"
                leftSection={present ? <IconCheck size={13} aria-hidden /> : <IconMinus size={13} aria-hidden />}
              >
                {names.account(provider, instance)}: {present ? texts.there : texts.absent}
              </Badge>
            ))}
          </Group>
        </div>
      ))}
    </SimpleGrid>
  )
}
