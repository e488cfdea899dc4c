// One event group: summary, timeline and related events.
import { Anchor, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core'
import { IconBolt, IconEye, IconEyeOff, IconTimeline } from '@tabler/icons-react'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useRead } from '../../api/query.ts'
import { featureName, useNamed, useNames } from '../../parts/values/names.ts'
import { DataTable, type Column } from '../../parts/lists/data-table.tsx'
import { Facts } from '../../parts/lists/facts.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { useDrawn } from '../../api/drawn.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { events } from '../../texts/en/events.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { GroupBadge } from './group-badge.tsx'
import { Subject } from './cells.tsx'
import { eventsAddress } from '../../parts/titles/pictures.ts'
import { routeText } from '../../parts/values/event-route.ts'
import { EventTimeline } from '../../parts/values/event-timeline.tsx'
import { useAcknowledge } from './use-acknowledge.ts'
import { groupSteps, groupText, groupTitle, reasonSentence, type EventGroup } from '../../parts/values/event-text.ts'

type Detail = Answer<'GET /api/events/groups/{group_id}'>

const texts = events.group
const idOf = ({ id }: EventGroup) => String(id)
const PAGE_ROWS = 100
const breadcrumbs = [{ title: shell.pages.events, href: '/events' }]

export function GroupPage({ id }: { readonly id: number }) {
  const names = useNames()
  const read = useRead(['events', 'group', id], 'GET /api/events/groups/{group_id}', {
    params: { group_id: id },
    query: { run_items_limit: 1 },
  })
  const query = useNamed(read)
  const { mutate: mark, isPending } = useAcknowledge()
  const group = useDrawn(query.data)?.group
  const isSeen = group?.acknowledged_at != null
  return (
    <Page
      title={group === undefined ? shell.pages.events : groupTitle(group, names.account)}
      text={group === undefined ? undefined : groupSteps(group)}
      breadcrumbs={breadcrumbs}
      actions={
        group === undefined ? undefined : (
          <>
            {group.item_key === null ? null : (
              <Button
                component={Link}
                href={eventsAddress(group.item_key)}
                leftSection={<IconTimeline size={16} aria-hidden />}
              >
                {texts.story}
              </Button>
            )}
            <Button
              variant="default"
              loading={isPending}
              leftSection={isSeen ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
              onClick={() => mark({ ids: [id], isSeen: !isSeen })}
            >
              {isSeen ? events.unacknowledge : events.acknowledge}
            </Button>
          </>
        )
      }
    >
      <QueryView
        query={query}
        rows={6}
        absent={{ icon: IconBolt, title: texts.missing, text: texts.missingText, to: texts.toList, href: '/events' }}
      >
        {(detail) => <Shown detail={detail} />}
      </QueryView>
    </Page>
  )
}

function Shown({
  detail: { group, events: rows, aggregate, context, related_groups: related, run_items_total: runItems },
}: {
  readonly detail: Detail
}) {
  const names = useNames()
  const runId = context.run_id ?? group.run_id
  return (
    <Stack>
      <Group gap="xs">
        <GroupBadge group={group} />
      </Group>
      <Paper component="section" withBorder p="md" aria-label={texts.facts}>
        <Facts
          cols={{ base: 1, xs: 2, md: 4 }}
          facts={[
            [texts.between, routeText(group, names.account)],
            [texts.feature, group.feature === null ? null : featureName(group.feature)],
            [texts.reason, reasonSentence(group, names.account)],
            [texts.first, <TimeText key="first" at={(group.first_event_at ?? 0) * 1000} />],
            [texts.last, <TimeText key="last" at={(group.last_event_at ?? 0) * 1000} />],
            [texts.events, say(events.found.events, { n: aggregate.event_count })],
            [
              texts.run,
              runId === null ? null : (
                <Anchor key="run" component={Link} href={`/runs/${encodeURIComponent(runId)}`} underline="always">
                  {texts.openRun}
                </Anchor>
              ),
            ],
            [
              texts.seen,
              group.acknowledged_at === null ? null : (
                <span key="seen">
                  <TimeText at={group.acknowledged_at * 1000} />{' '}
                  {say(texts.seenBy, { name: group.acknowledged_by ?? events.unknownUser })}
                </span>
              ),
            ],
          ]}
        />
      </Paper>
      <Paper component="section" withBorder p="md" aria-label={texts.what}>
        <Title order={2} size="h5" mb="md">
          {texts.what}
        </Title>
        <EventTimeline rows={rows} nameOf={names.account} label={texts.what} />
      </Paper>
      {runItems === undefined || runItems === 0 ? null : <Items id={group.id} />}
      {related.length === 0 ? null : (
        <Paper component="section" withBorder p="md" aria-label={texts.related}>
          <Title order={2} size="h5" mb="sm">
            {texts.related}
          </Title>
          <List listStyleType="none" spacing="xs">
            {related.map((one) => (
              <List.Item key={one.id} styles={{ itemWrapper: { width: '100%' }, itemLabel: { width: '100%' } }}>
                <Group justify="space-between" gap="xs">
                  <Anchor component={Link} href={`/events/groups/${one.id}`} underline="hover">
                    {[
                      one.feature === null ? '' : featureName(one.feature),
                      groupText(one, names.account) || groupTitle(one, names.account),
                    ]
                      .filter((text) => text !== '')
                      .join(': ')}
                  </Anchor>
                  <Text size="sm" c="dimmed">
                    {routeText(one, names.account)} · <TimeText at={(one.last_event_at ?? 0) * 1000} />
                  </Text>
                </Group>
              </List.Item>
            ))}
          </List>
        </Paper>
      )}
    </Stack>
  )
}

function Items({ id }: { readonly id: number }) {
  const names = useNames()
  const [, navigate] = useLocation()
  const list = useEndless({
    key: ['events', 'group', id, 'items'],
    size: PAGE_ROWS,
    read: ({ offset }, signal) =>
      api('GET /api/events/groups/{group_id}/run-items', {
        params: { group_id: id },
        query: { limit: PAGE_ROWS, offset },
        signal,
      }),
    rowsOf: ({ items }) => items,
    idOf,
    totalOf: ({ total }) => total,
  })
  const { rows } = list
  const columns = useMemo(
    (): readonly Column<EventGroup>[] => [
      {
        id: 'subject',
        header: events.columns.subject,
        width: '3fr',
        isTitle: true,
        cell: (group) => (
          <Subject
            href={`/events/groups/${group.id}`}
            name={groupTitle(group, names.account)}
            year={group.year}
            text={groupText(group, names.account)}
          />
        ),
      },
      {
        id: 'feature',
        header: events.columns.feature,
        width: '6rem',
        cell: ({ feature }) => (feature === null ? null : featureName(feature)),
      },
      { id: 'status', header: events.columns.status, width: '9rem', cell: (group) => <GroupBadge group={group} /> },
    ],
    [names],
  )
  return (
    <section aria-label={texts.items}>
      <Title order={2} size="h5" mb="sm">
        {texts.items}
      </Title>
      {list.error === null ? null : <Failure error={list.error} onRetry={list.retry} />}
      {rows === undefined ? (
        list.error === null ? (
          <Loading rows={4} />
        ) : null
      ) : (
        <DataTable
          label={texts.items}
          columns={columns}
          rows={rows}
          rowKey={idOf}
          total={list.total}
          height="28rem"
          onOpen={(group) => navigate(`/events/groups/${group.id}`)}
          endless={list.list}
        />
      )}
    </section>
  )
}
