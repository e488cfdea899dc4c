// The anime mapping: data, coverage, own rules and settings.
import { Button, Stack } from '@mantine/core'
import { IconArrowsShuffle } from '@tabler/icons-react'

import { useChange, useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { anime as texts } from '../../texts/en/anime.ts'
import { CoveragePart } from './coverage.tsx'
import { DataPart } from './data.tsx'
import { Rules } from './rules.tsx'
import { SettingsPart } from './settings.tsx'
import { KEY, type Status } from './state.ts'

const BUSY_MS = 1_500
/** The first download starts a moment after the request. */
function isBusy({ status, enabled, installed, auto_update_status: auto }: Status): boolean {
  return status === 'updating' || auto.running || (enabled && !installed && auto.last_error === '')
}

export default function Anime() {
  const status = useRead([...KEY, 'status'], 'GET /api/anime-mapping/status', undefined, {
    refetchInterval: ({ state: { data } }) => (data !== undefined && isBusy(data) ? BUSY_MS : false),
  })
  const settings = useRead([...KEY, 'settings'], 'GET /api/anime-mapping/settings')
  const turnOn = useChange('POST /api/anime-mapping/settings', { refresh: [KEY] })
  return (
    <Page title={texts.title} text={texts.intro}>
      <QueryView query={status} rows={6}>
        {(now) => (
          <Stack gap="xl">
            {now.enabled ? (
              <>
                <DataPart status={now} />
                <CoveragePart />
              </>
            ) : (
              <EmptyState
                icon={IconArrowsShuffle}
                title={texts.off.title}
                text={
                  <Stack gap="xs">
                    <div>{texts.off.text}</div>
                    <div>{texts.off.sources}</div>
                    {turnOn.error === null ? null : <Failure error={turnOn.error} />}
                  </Stack>
                }
                action={
                  <Button loading={turnOn.isPending} onClick={() => turnOn.mutate({ body: { enabled: true } })}>
                    {texts.off.on}
                  </Button>
                }
              />
            )}
            <QueryView query={settings} rows={3}>
              {({ anime_mapping: known }) => (
                <Stack gap="xl">
                  <Rules rules={known.overrides} />
                  {now.enabled ? <SettingsPart key={JSON.stringify(known)} settings={known} /> : null}
                </Stack>
              )}
            </QueryView>
          </Stack>
        )}
      </QueryView>
    </Page>
  )
}
