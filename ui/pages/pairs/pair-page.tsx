// One pair: status, plans and settings.
import { Button, Group, Tabs, Tooltip } from '@mantine/core'
import { IconEye, IconLinkOff, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useSearchParams } from 'wouter'
import { useRead } from '../../api/query.ts'
import { Absent } from '../../parts/page/absent.tsx'
import { FollowRun } from '../../parts/runs/follow-run.tsx'
import { Page } from '../../parts/page/page.tsx'
import type { PairStatus } from '../../parts/runs/pair-status.ts'
import { SyncBadge } from '../../parts/runs/sync-badge.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { useNamed } from '../../parts/values/names.ts'
import { pairs as texts } from '../../texts/en/pairs.ts'
import { shell } from '../../texts/en/shell.ts'
import { EditPair } from './form/edit-pair.tsx'
import { Overview } from './overview.tsx'
import { Sides } from './pair-summary.tsx'
import { usePairActions } from './use-pair-actions.ts'

const BREADCRUMBS = [{ title: texts.title, href: '/pairs' }]

export function PairPage({ id }: { readonly id: string }) {
  const query = useNamed(useRead(['pairs', 'status'], 'GET /api/pairs/status'))
  const pair = query.data?.pairs.find((one) => one.id === id)
  if (pair !== undefined) return <Known key={id} pair={pair} />
  return (
    <Page title={texts.title} breadcrumbs={BREADCRUMBS}>
      <QueryView query={query}>
        {() => <Absent icon={IconLinkOff} title={texts.gone} text={texts.goneText} to={texts.toList} href="/pairs" />}
      </QueryView>
    </Page>
  )
}

function Known({ pair }: { readonly pair: PairStatus }) {
  const [search, setSearch] = useSearchParams()
  const actions = usePairActions(pair)
  const tab = search.get('tab') === 'settings' ? 'settings' : 'overview'
  const isBlocked = !pair.enabled || pair.running
  const buttons = (
    <>
      <Button
        variant="subtle"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => void actions.remove()}
      >
        {texts.remove}
      </Button>
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        disabled={isBlocked}
        onClick={() => void actions.run()}
      >
        {texts.runNow}
      </Button>
      <Tooltip label={texts.previewHelp} multiline maw={260}>
        <Button
          leftSection={<IconEye size={16} aria-hidden />}
          disabled={isBlocked}
          onClick={() => void actions.preview()}
        >
          {texts.preview}
        </Button>
      </Tooltip>
    </>
  )
  return (
    <Page
      title={pair.name === '' ? shell.pages.pairs : pair.name}
      text={
        <Group gap="sm">
          <Sides pair={pair} />
          <SyncBadge status={pair.sync_status} />
        </Group>
      }
      breadcrumbs={BREADCRUMBS}
      actions={buttons}
    >
      <FollowRun runId={actions.runId} onEnd={(runId) => void actions.ended(runId)} />
      <Tabs
        value={tab}
        onChange={(next) => setSearch(next === 'settings' ? { tab: 'settings' } : {}, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="overview">{texts.tabs.overview}</Tabs.Tab>
          <Tabs.Tab value="settings">{texts.tabs.settings}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="overview" pt="md">
          <Overview pair={pair} />
        </Tabs.Panel>
        <Tabs.Panel value="settings" pt="md">
          <EditPair id={pair.id} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
