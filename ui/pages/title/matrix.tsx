// Services by features: the state of the title at each, with times.
import { ActionIcon, Group, Stack, Table, Text } from '@mantine/core'
import { IconCheck, IconExternalLink, IconMinus } from '@tabler/icons-react'
import { Facts } from '../../parts/lists/facts.tsx'
import { usePhone } from '../../parts/page/use-phone.ts'
import { useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { problems } from '../../texts/en/problems.ts'
import { titlePage as texts } from '../../texts/en/title.ts'
import { say } from '../../texts/say.ts'
import type { TitleData, TitlePages } from './data.ts'
import { countText } from './seasons.tsx'

const FEATURES = ['watchlist', 'history', 'ratings', 'progress'] as const
type Feature = (typeof FEATURES)[number]
type Cells = TitleData['matrix'][number]['features']
type Cell = Cells[number]

interface MatrixProps {
  readonly title: TitleData
  /** The number of aired episodes; null if it is not known. */
  readonly aired: number | null
  readonly pages: TitlePages
}

export function Matrix({ title, aired, pages }: MatrixProps) {
  const { account } = useNames()
  const isPhone = usePhone()
  const pageOf = (provider: string, instance: string) =>
    pages.find((one) => one.provider === provider && one.instance === instance)?.url
  const value = (features: Cells, feature: Feature) => (
    <Value
      cell={features.find((one) => one.feature === feature)}
      feature={feature}
      isShow={title.kind === 'show'}
      aired={aired}
    />
  )
  if (isPhone)
    return (
      <Stack gap="lg">
        {title.matrix.map(({ provider, instance, features }) => (
          <Stack key={`${provider}@${instance}`} gap="xs">
            <Service provider={provider} name={account(provider, instance)} page={pageOf(provider, instance)} />
            <Facts cols={2} facts={FEATURES.map((feature) => [texts.features[feature], value(features, feature)])} />
          </Stack>
        ))}
      </Stack>
    )
  return (
    <Table.ScrollContainer minWidth={520} type="native" tabIndex={0} aria-label={texts.services} role="group">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="26%">{texts.service}</Table.Th>
            {FEATURES.map((feature) => (
              <Table.Th key={feature}>{texts.features[feature]}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {title.matrix.map(({ provider, instance, features }) => (
            <Table.Tr key={`${provider}@${instance}`}>
              <Table.Th scope="row" fw={500}>
                <Service provider={provider} name={account(provider, instance)} page={pageOf(provider, instance)} />
              </Table.Th>
              {FEATURES.map((feature) => (
                <Table.Td key={feature}>{value(features, feature)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface ServiceProps {
  readonly provider: string
  readonly name: string
  /** Address of the title's page there. */
  readonly page: string | undefined
}

function Service({ provider, name, page }: ServiceProps) {
  const open = say(problems.actions.open_at, { service: name })
  return (
    // As high as with the link, which is known later.
    <Group gap="xs" wrap="nowrap" fw={500} mih={24}>
      <ServiceMark provider={provider} />
      {name}
      {page === undefined ? null : (
        <ActionIcon
          component="a"
          href={page}
          target="_blank"
          rel="noopener noreferrer"
          variant="subtle"
          color="gray"
          size={24}
          aria-label={open}
          title={open}
        >
          <IconExternalLink size={16} aria-hidden />
        </ActionIcon>
      )}
    </Group>
  )
}

function Value({
  cell,
  feature,
  isShow,
  aired,
}: {
  readonly cell: Cell | undefined
  readonly feature: Feature
  readonly isShow: boolean
  readonly aired: number | null
}) {
  if (cell === undefined)
    return (
      <Text size="xs" c="dimmed">
        {texts.notRead}
      </Text>
    )
  if (cell.stale)
    return (
      <Text size="xs" c="dimmed" component="div">
        {texts.stale} <TimeText at={cell.read_at} />
      </Text>
    )
  if (!cell.present)
    return (
      <Group gap="xs" wrap="nowrap">
        <IconMinus size={16} color="var(--mantine-color-dimmed)" aria-hidden />
        <Text size="sm" c="dimmed">
          {texts.no}
        </Text>
      </Group>
    )
  return (
    <div>
      <Group gap="xs" wrap="nowrap">
        <IconCheck size={16} color="var(--mantine-color-green-light-color)" aria-hidden />
        <Text size="sm" fw={600}>
          {wordsOf(cell, feature, isShow ? aired : undefined)}
        </Text>
      </Group>
      {cell.at === null ? null : (
        <Text size="xs" c="dimmed" component="div">
          <TimeText at={cell.at} />
        </Text>
      )}
    </div>
  )
}

/** @param aired absent for a film */
function wordsOf({ value, count }: Cell, feature: Feature, aired: number | null | undefined): string {
  if (feature === 'ratings') return value === null ? say(texts.partsRated, { n: count }) : `${value} / 10`
  if (feature === 'progress' && value !== null) return say(texts.percent, { n: Math.round(value) })
  if (feature === 'history' && aired !== undefined) return countText(count, aired)
  return texts.yes
}
