// The databases: last check, integrity, and repair of a damaged one.
import { Alert, Anchor, Button, Group, Menu, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/query.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { bytesText } from '../../parts/values/bytes.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { maintenance } from '../../texts/en/maintenance.ts'
import { say } from '../../texts/say.ts'
import { Section } from './section.tsx'

type Database = Answer<'GET /api/maintenance/integrity'>['databases'][number]
const { databases: texts } = maintenance
const S = 1_000

export function Databases({ onRestart }: { readonly onRestart: (text: string) => void }) {
  const query = useRead(['maintenance', 'integrity'], 'GET /api/maintenance/integrity')
  const check = useChange('POST /api/maintenance/integrity', {
    refresh: [['maintenance', 'integrity'], ['attention']],
    onDone: () => notifyDone(texts.done),
  })
  const repair = useChange('POST /api/maintenance/repair', { onDone: () => onRestart(texts.repairing) })

  async function ask({ path }: Database) {
    const { repairTitle, repairText, repairGo } = texts
    if (await confirm({ title: say(repairTitle, { name: nameOf(path) }), text: repairText, action: repairGo }))
      repair.mutate({ body: { path, confirm: true } })
  }

  return (
    <Section
      title={texts.title}
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            loading={check.isPending}
            onClick={() => check.mutate({ body: { quick: true } })}
          >
            {texts.quick}
          </Button>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="xs" variant="default" aria-label={texts.full} px="xs" disabled={check.isPending}>
                <IconChevronDown size={14} aria-hidden />
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => check.mutate({ body: { quick: false } })}>
                {texts.full}
                <Text size="xs" c="dimmed">
                  {texts.fullText}
                </Text>
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      {check.error === null ? null : <Failure error={check.error} />}
      {repair.error === null ? null : <Failure error={repair.error} />}
      <QueryView query={query} rows={3}>
        {({ databases }) => {
          const damaged = databases.filter(({ healthy }) => !healthy)
          return (
            <>
              {databases.length === 0 ? (
                <Text size="sm" c="dimmed">
                  {texts.never}
                </Text>
              ) : damaged.length === 0 ? (
                <StatusBadge tone="good" label={texts.good} />
              ) : (
                <Alert color="red" title={say(texts.bad, { n: damaged.length })}>
                  {texts.guide}{' '}
                  <Anchor component={Link} href="/backups" inherit underline="always">
                    {texts.backups}
                  </Anchor>
                </Alert>
              )}
              <ul className="plain-list" aria-label={texts.label}>
                {databases.map((one) => (
                  <Group key={one.path} component="li" gap="md" wrap="nowrap" py="xs" className="line">
                    <Text size="sm" fw={600} truncate className="grow" title={one.path}>
                      {nameOf(one.path)}
                    </Text>
                    <Text size="sm" c="dimmed" visibleFrom="xs" w="5rem" ta="right">
                      {bytesText(one.size_bytes)}
                    </Text>
                    <Text size="sm" c="dimmed" component="div" visibleFrom="sm" w="8rem">
                      <TimeText at={one.checked_at * S} />
                    </Text>
                    <StatusBadge
                      tone={one.healthy ? 'good' : 'bad'}
                      label={one.healthy ? texts.intact : texts.damaged}
                    />
                    {one.healthy ? null : (
                      <Button size="xs" color="red.9" loading={repair.isPending} onClick={() => void ask(one)}>
                        {texts.repair}
                      </Button>
                    )}
                  </Group>
                ))}
              </ul>
            </>
          )
        }}
      </QueryView>
    </Section>
  )
}

/** The content of a database; `databases/shelf/books.sqlite` of an external plugin becomes "shelf / books". */
function nameOf(path: string): string {
  const name = path.replace(/^databases\//, '').replace(/\.sqlite$/, '')
  return (texts.names as Readonly<Record<string, string>>)[name] ?? name.replaceAll('/', ' / ')
}
