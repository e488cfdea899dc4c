// Applied corrections with their undo, and hidden findings.
import { Anchor, Button, Group, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { useChange, useRead } from '../../../api/query.ts'
import { notifyDone, notifyFailure } from '../../../parts/dialogs/notify.ts'
import { notUndoneLines } from '../../../parts/runs/not-undone.tsx'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { featureName } from '../../../parts/values/names.ts'
import { TimeText } from '../../../parts/values/time-text.tsx'
import { analyzer } from '../../../texts/en/analyzer.ts'
import { say } from '../../../texts/say.ts'
import { useAccountName, useKinds } from './finding.ts'

const { changes: texts } = analyzer

interface Change {
  readonly change_id: string
  readonly at_ms: number
  readonly provider: string
  readonly instance: string
  readonly feature: string
  readonly key: string
  readonly operation: keyof typeof texts.operations
  readonly before: { readonly title?: string | null; readonly series_title?: string | null } | null
  readonly by: 'plan' | 'policy' | 'rows'
  readonly plan_id: string | null
  readonly undone: boolean
  readonly not_undone?: Readonly<Record<string, number>> | null
}

export function Changes() {
  const accountName = useAccountName()
  const kindOf = useKinds()
  const changes = useRead(['analyzer', 'changes'], 'GET /api/analyzer/changes')
  const hidden = useRead(['analyzer', 'exclusions'], 'GET /api/analyzer/exclusions')
  const refresh = [['analyzer'], ['attention'], ['problems']]
  const undo = useChange('POST /api/analyzer/changes/{id}/undo', {
    refresh,
    onDone: (answer) =>
      answer.state === 'undone'
        ? notifyDone(texts.undone)
        : notifyFailure(
            new Error(
              notUndoneLines(answer)
                .map((line) => `${line}.`)
                .join(' '),
            ),
            texts.undonePartly,
          ),
  })
  const show = useChange('DELETE /api/analyzer/exclusions', { refresh })
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Paper withBorder p="md" component="section" aria-label={texts.title}>
        <Title order={2} size="h4" mb="sm">
          {texts.title}
        </Title>
        <QueryView
          query={changes}
          isEmpty={({ changes: all }) => all.length === 0}
          empty={<Text c="dimmed">{texts.empty}</Text>}
        >
          {({ changes: all }) => (
            <ul className="plain-list">
              {(all as unknown as readonly Change[]).map((one) => {
                const title = one.before?.series_title ?? one.before?.title ?? one.key
                return (
                  <Group
                    key={one.change_id}
                    component="li"
                    justify="space-between"
                    wrap="nowrap"
                    py="xs"
                    className="line"
                  >
                    <div className="grow">
                      <Text size="sm" fw={600} truncate title={title} dir="auto">
                        {title}
                      </Text>
                      <Text size="xs" c="dimmed" component="div" truncate>
                        {texts.operations[one.operation]} · {accountName(`${one.provider}@${one.instance}`)} ·{' '}
                        {featureName(one.feature)} · <TimeText at={one.at_ms} />
                        {one.plan_id === null ? null : (
                          <>
                            {' · '}
                            <Anchor component={Link} href={`/plans/${encodeURIComponent(one.plan_id)}`} inherit>
                              {texts.plan}
                            </Anchor>
                          </>
                        )}
                      </Text>
                    </div>
                    {one.undone ? (
                      <Text size="sm" c="dimmed">
                        {one.not_undone == null ? texts.undone : texts.undonePartly}
                      </Text>
                    ) : one.by === 'rows' ? null : (
                      <Button
                        size="xs"
                        variant="default"
                        loading={undo.isPending}
                        aria-label={say(texts.undoOf, { title })}
                        onClick={() =>
                          undo.mutate({ params: { id: one.change_id } }, { onError: (error) => notifyFailure(error) })
                        }
                      >
                        {texts.undo}
                      </Button>
                    )}
                  </Group>
                )
              })}
            </ul>
          )}
        </QueryView>
      </Paper>
      <Paper withBorder p="md" component="section" aria-label={texts.hidden}>
        <Title order={2} size="h4" mb="sm">
          {texts.hidden}
        </Title>
        <QueryView
          query={hidden}
          isEmpty={({ exclusions }) => exclusions.length === 0}
          empty={<Text c="dimmed">{texts.hiddenEmpty}</Text>}
        >
          {({ exclusions }) => (
            <ul className="plain-list">
              {exclusions.map((one) => {
                const { type, provider, feature, key } = one
                const what = kindOf(type).label
                const where = [
                  provider === undefined ? texts.everywhere : accountName(provider),
                  feature === undefined ? '' : featureName(feature),
                  key ?? '',
                ].filter((part) => part !== '')
                return (
                  <Group
                    key={JSON.stringify(one)}
                    component="li"
                    justify="space-between"
                    wrap="nowrap"
                    py="xs"
                    className="line"
                  >
                    <div className="grow">
                      <Text size="sm" fw={600} truncate>
                        {what}
                      </Text>
                      <Text size="xs" c="dimmed" truncate title={where.join(' · ')}>
                        {where.join(' · ')}
                      </Text>
                    </div>
                    <Button
                      size="xs"
                      variant="default"
                      loading={show.isPending}
                      aria-label={say(texts.showOf, { what })}
                      onClick={() => show.mutate({ body: one }, { onError: (error) => notifyFailure(error) })}
                    >
                      {texts.show}
                    </Button>
                  </Group>
                )
              })}
            </ul>
          )}
        </QueryView>
      </Paper>
    </SimpleGrid>
  )
}
