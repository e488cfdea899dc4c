// Where the list comes from, and what is wrong with its address. One answer, its cause, one button.
import { Alert, Anchor, Text } from '@mantine/core'
import { IconAlertTriangle, IconCloudOff } from '@tabler/icons-react'
import { Link } from 'wouter'
import { directory as texts } from '../../../texts/en/directory.ts'
import { say } from '../../../texts/say.ts'
import { serviceText } from '../../../texts/service-text.ts'
import { dayText, type DirectoryAnswer } from './data.ts'

export const SETTINGS = '/settings/plugins.directory'

export function Notices({ catalogue, look: { host, error } }: Pick<DirectoryAnswer, 'catalogue' | 'look'>) {
  return (
    <>
      {error === null ? null : error.code.startsWith('catalogue_') ? (
        <Alert color="orange" title={texts.refused} icon={<IconAlertTriangle aria-hidden />}>
          <Text size="sm">{serviceText(error.message)}</Text>
          <Text size="sm">{texts.refusedText}</Text>
        </Alert>
      ) : (
        <Alert color="gray" title={texts.unreachable} icon={<IconCloudOff aria-hidden />}>
          <Text size="sm">{serviceText(error.message)}</Text>
          <Text size="sm">{texts.unreachableText}</Text>
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {catalogue === null ? null : `${originText(catalogue, host)} `}
        <Anchor component={Link} href={SETTINGS} size="sm" underline="always">
          {texts.settings}
        </Anchor>
      </Text>
    </>
  )
}

function originText({ date, from }: NonNullable<DirectoryAnswer['catalogue']>, host: string | null): string {
  const day = dayText(date)
  if (from === 'shipped')
    return host === null ? say(texts.shipped, { date: day }) : say(texts.shippedAt, { date: day, host })
  return host === null ? say(texts.fetchedOff, { date: day }) : say(texts.fetched, { date: day, host })
}
