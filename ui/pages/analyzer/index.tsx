// The analyzer: findings, ratings audit, pairs, stored sync state and corrections.
import { Anchor, Button, Group, Select, Stack, Tabs } from '@mantine/core'
import { useQueryClient, useIsFetching } from '@tanstack/react-query'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { Page } from '../../parts/page/page.tsx'
import { analyzer as texts } from '../../texts/en/analyzer.ts'
import { shell } from '../../texts/en/shell.ts'
import { Changes } from './changes.tsx'
import { Findings } from './findings.tsx'
import { Pairs } from './pairs.tsx'
import { Ratings } from './ratings.tsx'
import { Stored } from './stored.tsx'

const TABS = Object.keys(texts.tabs) as (keyof typeof texts.tabs)[]

export default function Analyzer() {
  const client = useQueryClient()
  const [tab, setTab] = useState<string | null>('findings')
  const [pairId, setPairId] = useState<string | null>(null)
  const { data: pairs } = useRead(['pairs'], 'GET /api/pairs')
  const isBusy = useIsFetching({ queryKey: ['analyzer'] }) > 0
  const query = pairId === null ? {} : { pairs: pairId }
  return (
    <Page
      title={shell.pages.analyzer}
      text={
        <>
          {texts.intro}{' '}
          <Anchor component={Link} href="/problems" inherit underline="always">
            {texts.toProblems}
          </Anchor>
        </>
      }
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isBusy}
          onClick={() => void client.invalidateQueries({ queryKey: ['analyzer'] })}
        >
          {texts.again}
        </Button>
      }
    >
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Group justify="space-between" align="flex-end" gap="sm" mb="md">
          <Tabs.List aria-label={texts.tabsLabel} className="tab-row grow" miw="min(100%, 20rem)">
            {TABS.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {texts.tabs[one]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tab === 'changes' || (pairs?.length ?? 0) < 2 ? null : (
            <Select
              aria-label={texts.pair}
              placeholder={texts.allPairs}
              clearable
              data={(pairs ?? []).map(({ id, name }) => ({ value: id, label: name || id }))}
              value={pairId}
              onChange={setPairId}
              w={{ base: '100%', sm: '15rem' }}
            />
          )}
        </Group>
        <Stack gap="md">
          <Tabs.Panel value="findings">
            <Findings query={query} hasPairs={(pairs?.length ?? 0) > 0} />
          </Tabs.Panel>
          <Tabs.Panel value="ratings">
            <Ratings query={query} />
          </Tabs.Panel>
          <Tabs.Panel value="pairs">
            <Pairs query={query} />
          </Tabs.Panel>
          <Tabs.Panel value="stored">
            <Stored query={query} />
          </Tabs.Panel>
          <Tabs.Panel value="changes">
            <Changes />
          </Tabs.Panel>
        </Stack>
      </Tabs>
    </Page>
  )
}
