// Details behind the problems, folded: all findings of the analyzer with its notes, ratings, pairs, stored state, and corrections.
import { Group, Paper, Select, Stack, Tabs, Text } from '@mantine/core'
import { useRead } from '../../../api/query.ts'
import { analyzer as texts } from '../../../texts/en/analyzer.ts'
import { problems } from '../../../texts/en/problems.ts'
import { useState } from 'react'
import { Changes } from './changes.tsx'
import { Findings } from './findings.tsx'
import { Pairs } from './pairs.tsx'
import { Ratings } from './ratings.tsx'
import { Stored } from './stored.tsx'

export const DETAIL_TABS = Object.keys(texts.tabs) as readonly (keyof typeof texts.tabs)[]

interface DetailsProps {
  /** The open tab; null: folded. */
  readonly tab: string | null
  readonly onTab: (tab: string | null) => void
}

export function Details({ tab, onTab }: DetailsProps) {
  const isOpen = tab !== null
  return (
    <Paper withBorder p="md">
      <details
        open={isOpen}
        onToggle={({ currentTarget: { open } }) => {
          if (open !== isOpen) onTab(open ? DETAIL_TABS[0]! : null)
        }}
      >
        <summary>
          <Text span fw={600}>
            {problems.details.title}
          </Text>
          <Text span size="sm" c="dimmed">
            {` · ${problems.details.text}`}
          </Text>
        </summary>
        {isOpen ? <Views tab={tab} onTab={onTab} /> : null}
      </details>
    </Paper>
  )
}

function Views({ tab, onTab }: DetailsProps) {
  const [pairId, setPairId] = useState<string | null>(null)
  const { data: pairs } = useRead(['pairs'], 'GET /api/pairs')
  const query = pairId === null ? {} : { pairs: pairId }
  return (
    <Tabs value={tab} onChange={onTab} keepMounted={false} mt="md">
      <Group justify="space-between" align="flex-end" gap="sm" mb="md">
        <Tabs.List aria-label={texts.tabsLabel} className="tab-row grow" miw="min(100%, 20rem)">
          {DETAIL_TABS.map((one) => (
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
  )
}
