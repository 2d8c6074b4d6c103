/** The part of a request that is known before its message is read: the endpoint that its address names, and its headers of identity. */

/** The endpoint that an address names. Absent parts are given by the key, else by the default. */
export interface EndpointPath {
  readonly organization?: string
  readonly toolset?: string
  readonly connection?: string
}

/** The facts of a request that are known before its message is read. */
export interface Inbound {
  readonly place: EndpointPath
  readonly authorization: string | undefined
  /** The address of the member that it says to call for; only a trusted key's word counts. */
  readonly onBehalfOf?: string | undefined
}
