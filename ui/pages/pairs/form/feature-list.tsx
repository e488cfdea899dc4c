// The features of a pair, one switch each; an enabled feature shows its options.
import { Alert, Collapse, Paper, Stack, Switch, Text } from '@mantine/core'
import { useFeatureNames } from '../../../parts/values/names.ts'
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import { defaultsOf, type Draft, type FeatureInfo, type Options } from './draft.ts'
import { FeatureOptions } from './feature-options.tsx'
import { supportOf, type Ends } from './support.ts'
import { serviceText } from '../../../texts/service-text.ts'

interface FeatureListProps {
  readonly ends: Ends
  readonly draft: Draft
  readonly features: readonly FeatureInfo[]
  readonly onChange: (part: Pick<Draft, 'features'> | Pick<Draft, 'providers'>) => void
}

export function FeatureList({ ends, draft, features, onChange }: FeatureListProps) {
  const labelOf = useFeatureNames()
  const rows = features.map((info) => ({ info, support: supportOf(info.feature, ends, labelOf) }))
  const isEmpty = rows.every(({ support }) => support.refusal !== null)
  const put = (feature: string, options: Options) => onChange({ features: { ...draft.features, [feature]: options } })

  return (
    <Stack gap="sm">
      {isEmpty ? <Alert color="orange">{texts.features.none}</Alert> : null}
      {rows.map(({ info, support: { refusal, notes } }) => {
        const options = draft.features[info.feature]
        const isOn = refusal === null && options?.['enabled'] === true
        return (
          <Paper key={info.feature} withBorder p="md">
            <Switch
              checked={isOn}
              disabled={refusal !== null}
              label={serviceText(info.label)}
              description={refusal ?? serviceText(info.help)}
              size="md"
              onChange={(event) =>
                put(
                  info.feature,
                  event.currentTarget.checked
                    ? { ...(options ?? defaultsOf(info)), enabled: true }
                    : { ...options, enabled: false },
                )
              }
            />
            <Collapse expanded={isOn} keepMounted={false}>
              {!isOn || options === undefined ? null : (
                <Stack
                  mt="md"
                  pt="md"
                  gap="md"
                  pl={{ base: 0, sm: 58 }}
                  style={{ borderTop: '1px solid var(--row-line)' }}
                >
                  {notes.length === 0 ? null : (
                    <Stack gap="3xs">
                      {notes.map((note) => (
                        <Text key={note} size="sm" c="dimmed">
                          {note}
                        </Text>
                      ))}
                    </Stack>
                  )}
                  <FeatureOptions
                    info={info}
                    ends={ends}
                    draft={draft}
                    options={options}
                    onChange={(next) => put(info.feature, next)}
                    onProviders={(providers) => onChange({ providers })}
                  />
                </Stack>
              )}
            </Collapse>
          </Paper>
        )
      })}
    </Stack>
  )
}
