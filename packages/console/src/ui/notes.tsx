/** Where short news are seen; loaded with the first of them. */
import { Notifications, notifications } from '@mantine/notifications'

export const { show, hide } = notifications

export const Notes = () => <Notifications position="bottom-right" limit={4} />
