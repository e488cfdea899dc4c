// One synced playlist: summary, preview, sync, skipped items and earlier syncs.
import { ActionIcon, Alert, Button, Group, Menu, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import {
  IconAlertTriangle,
  IconDots,
  IconEye,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlaylistOff,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { useChange, useRead } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { Absent } from '../../parts/page/absent.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useStartRun } from '../../parts/plan-view/start-run.ts'
import { FollowRun } from '../../parts/runs/follow-run.tsx'
import { useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { playlists as texts } from '../../texts/en/playlists.ts'
import { say } from '../../texts/say.ts'
import { EarlierSyncs } from './earlier-syncs.tsx'
import { MappingDialog } from './mapping-dialog.tsx'
import { PreviewPart } from './preview.tsx'
import { LastResult } from './result.tsx'
import { type Endpoint, KEY, type Mapping, OVERVIEW, rulesText } from './state.ts'

const crumbs = [{ title: texts.title, href: '/playlists' }]

export default function One({ id }: { readonly id: string }) {
  const query = useRead(OVERVIEW, 'GET /api/playlists/overview')
  const mapping = query.data?.mappings.find((one) => one.id === id)
  if (query.data !== undefined && mapping === undefined)
    return (
      <Page title={texts.one.missing} breadcrumbs={crumbs}>
        <Absent
          icon={IconPlaylistOff}
          title={texts.one.missing}
          text={texts.one.missingText}
          to={texts.one.toAll}
          href="/playlists"
        />
      </Page>
    )
  if (query.data === undefined || mapping === undefined)
    return (
      <Page title={texts.title} breadcrumbs={crumbs}>
        <QueryView query={query} rows={8}>
          {() => null}
        </QueryView>
      </Page>
    )
  return <Known mapping={mapping} endpoints={query.data.endpoints} />
}

function Known({ mapping, endpoints }: { readonly mapping: Mapping; readonly endpoints: readonly Endpoint[] }) {
  const client = useQueryClient()
  const { name, assigned_pair: pairId } = mapping
  const [search, setSearch] = useSearchParams()
  // The preview of a new sync opens after saving.
  const [isPreviewed, setPreviewed] = useState(search.has('preview') && mapping.valid)
  const [isEdited, setEdited] = useState(false)
  const run = useStartRun(() => setPreviewed(false))
  const isBusy = run.isStarting || mapping.running
  const since = mapping.last_result?.finished_at ?? 0
  const endpoint = (id: string) => endpoints.find((one) => one.id === id)

  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (search.has('preview')) setSearch({}, { replace: true })
  }, [])

  function sync(extra: { readonly allow_mass_delete?: boolean } = {}) {
    if (pairId !== null) void run.start({ pair_id: pairId, ...extra })
  }
  const ended = () => void client.invalidateQueries({ queryKey: KEY })

  return (
    <Page
      title={name}
      breadcrumbs={crumbs}
      text={rulesText(mapping)}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconEye size={16} aria-hidden />}
            disabled={isBusy || !mapping.valid || pairId === null}
            onClick={() => setPreviewed(true)}
          >
            {texts.one.preview}
          </Button>
          <Button
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isBusy}
            disabled={!mapping.valid || pairId === null}
            onClick={() => sync()}
          >
            {texts.one.run}
          </Button>
          <More mapping={mapping} onEdit={() => setEdited(true)} />
        </>
      }
    >
      <Stack gap="lg">
        {mapping.valid ? null : (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={texts.one.broken} role="alert">
            <Text size="sm">{mapping.problem}</Text>
            <Button size="xs" mt="sm" variant="default" onClick={() => setEdited(true)}>
              {texts.one.edit}
            </Button>
          </Alert>
        )}
        {mapping.enabled ? null : <Alert color="gray">{texts.one.pausedText}</Alert>}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Side label={texts.one.source} ids={[mapping.source_endpoint]} endpoint={endpoint} since={since} />
          <Side label={texts.one.target} ids={mapping.target_endpoints} endpoint={endpoint} since={since} />
        </SimpleGrid>
        <FollowRun runId={run.runId} onEnd={ended} />
        {isPreviewed && pairId !== null ? (
          <PreviewPart mapping={mapping} pairId={pairId} onClose={() => setPreviewed(false)} onApprove={sync} />
        ) : null}
        <LastResult mapping={mapping} isHidden={isPreviewed} onApprove={sync} />
        <EarlierSyncs mappingId={mapping.id} />
      </Stack>
      {isEdited ? <MappingDialog draft={{ mapping }} onClose={() => setEdited(false)} /> : null}
    </Page>
  )
}

interface SideProps {
  readonly label: string
  readonly ids: readonly string[]
  readonly endpoint: (id: string) => Endpoint | undefined
  /** Epoch seconds; an earlier count is outdated. */
  readonly since: number
}

function Side({ label, ids, endpoint, since }: SideProps) {
  const { account } = useNames()
  const found = ids.flatMap((id) => endpoint(id) ?? [])
  const [first] = found
  return (
    <Paper withBorder p="md" component="section" aria-label={label} miw={0}>
      <Group gap="xs" mb="xs" wrap="nowrap">
        {first === undefined ? null : <ServiceMark provider={first.provider} />}
        <Title order={2} size="sm" c="dimmed" fw={500}>
          {label}
          {first === undefined ? '' : ` · ${account(first.provider, first.instance)}`}
        </Title>
      </Group>
      <Stack gap="xs">
        {found.map(({ id, playlist_name: title, name, playlist_id: list, item_count: count, last_synced: at }) => (
          <div key={id}>
            <Text fw={600} truncate title={title || name} dir="auto">
              {title || name}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              {list === '' ? (
                texts.one.notMade
              ) : (
                <>
                  {count === undefined || (at ?? 0) < since ? null : `${say(texts.one.items, { n: count })} · `}
                  {texts.one.lastRead} <TimeText at={(at ?? 0) * 1_000} />
                </>
              )}
            </Text>
          </div>
        ))}
      </Stack>
    </Paper>
  )
}

function More({ mapping, onEdit }: { readonly mapping: Mapping; readonly onEdit: () => void }) {
  const [, navigate] = useLocation()
  const { id, name, enabled } = mapping
  const onError = (error: unknown) => notifyFailure(error)
  const toggle = useChange('POST /api/playlists/mappings', {
    refresh: [KEY, ['pairs']],
    onDone: ({ mapping: saved }) => notifyDone(say(saved.enabled ? texts.one.resumed : texts.one.paused, { name })),
  })
  const remove = useChange('DELETE /api/playlists/mappings/{mapping_id}', {
    refresh: [KEY, ['pairs']],
    onDone: () => {
      notifyDone(say(texts.one.removed, { name }))
      navigate('/playlists')
    },
  })

  async function ask() {
    const { removeTitle, removeText, remove: action } = texts.one
    if (await confirm({ title: say(removeTitle, { name }), text: removeText, action }))
      remove.mutate({ params: { mapping_id: id } }, { onError })
  }

  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={texts.one.menu}
          loading={toggle.isPending || remove.isPending}
        >
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={onEdit}>
          {texts.one.edit}
        </Menu.Item>
        <Menu.Item
          leftSection={enabled ? <IconPlayerPause size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />}
          onClick={() => toggle.mutate({ body: { id, enabled: !enabled } }, { onError })}
        >
          {enabled ? texts.one.pause : texts.one.resume}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => void ask()}
        >
          {texts.one.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
