/**
 * The form of a Microsoft directory's name in an address: its ID or one of its domains. It becomes a part of the authorization server's
 * address, so nothing that could end a path is in it. Whether such a directory exists is not known here.
 */
export const TENANT = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i
