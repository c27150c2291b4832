// The doors and what each kind of caller gets there, written by hand from docs/contract.md §2 to §4 and §7. A door that is built
// without a row here, and a row without a door, fail test/once/doors/doors*.test.ts.
//
//   yes        allowed: all that it is asked for
//   part       filtered: exactly what `rights` in test/support/sites.ts names
//   own        filtered: what the caller's own site has, and nothing of this one
//   null       answered, and told nothing
//   401 …      refused, with this HTTP status; a write that is refused with 403 is a 404 where the entry is hidden
//   FORBIDDEN  refused when it is executed, with this code; NOT_FOUND likewise
import { doorTable } from '../../support/doors.ts';
import type { Kind } from '../../support/sites.ts';

/** The paths that the router knows. `*` is every method that no other row of the path names: those are 405. */
export const httpTable = doorTable(`
  door                                        nobody session public public+ada stranger user user+ada master master/acl master+ada/acl foreign elsewhere
  GET /livez                                  yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /livez                                    405    405     405    405        405      405  405      405    405        405            405     405
  GET /readyz                                 yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /readyz                                   405    405     405    405        405      405  405      405    405        405            405     405
  GET /auth                                   yes    yes     yes    yes        yes      yes  yes      yes    400        400            yes     yes
  * /auth                                     405    405     405    405        405      405  405      405    405        405            405     405
  POST /auth/sign-in                          415    415     415    415        415      415  415      415    400        400            415     415
  * /auth/sign-in                             405    405     405    405        405      405  405      405    405        405            405     405
  POST /auth/token                            401    401     401    401        401      401  401      401    400        400            401     401
  * /auth/token                               405    405     405    405        405      405  405      405    405        405            405     405
  POST /auth/sign-out                         401    401     403    403        403      403  403      403    400        400            403     403
  * /auth/sign-out                            405    405     405    405        405      405  405      405    405        405            405     405
  POST /auth/password                         401    401     403    403        403      403  403      403    400        400            403     403
  * /auth/password                            405    405     405    405        405      405  405      405    405        405            405     405
  POST /auth/invitation                       415    401     403    403        403      403  403      403    400        400            403     403
  * /auth/invitation                          405    405     405    405        405      405  405      405    405        405            405     405
  GET /auth/oidc/:provider                    404    404     404    404        404      404  404      404    400        400            404     404
  * /auth/oidc/:provider                      405    405     405    405        405      405  405      405    405        405            405     405
  GET /auth/oidc/:provider/callback           404    404     404    404        404      404  404      404    404        404            404     404
  * /auth/oidc/:provider/callback             405    405     405    405        405      405  405      405    405        405            405     405
  GET /me/sign-ins                            401    401     403    403        yes      yes  yes      403    400        400            403     403
  * /me/sign-ins                              405    405     405    405        405      405  405      405    405        405            405     405
  DELETE /me/sign-ins/:signIn                 401    401     403    403        404      404  404      403    400        400            403     403
  * /me/sign-ins/:signIn                      405    405     405    405        405      405  405      405    405        405            405     405
  GET /me/tokens                              401    401     403    403        yes      yes  yes      403    400        400            403     403
  POST /me/tokens                             401    401     403    403        403      403  403      403    400        400            403     403
  * /me/tokens                                405    405     405    405        405      405  405      405    405        405            405     405
  GET /me/tokens/:token                       401    401     403    403        404      404  404      403    400        400            403     403
  DELETE /me/tokens/:token                    401    401     403    403        403      403  403      403    400        400            403     403
  * /me/tokens/:token                         405    405     405    405        405      405  405      405    405        405            405     405
  GET /                                       yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /                                         405    405     405    405        405      405  405      405    405        405            405     405
  GET /docs                                   yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /docs                                     405    405     405    405        405      405  405      405    405        405            405     405
  GET /console                                yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /console                                  405    405     405    405        405      405  405      405    405        405            405     405
  GET /console/invitation                     yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /console/invitation                       405    405     405    405        405      405  405      405    405        405            405     405
  GET /pages/assets/:file                     404    404     404    404        404      404  404      404    404        404            404     404
  * /pages/assets/:file                       405    405     405    405        405      405  405      405    405        405            405     405
  OPTIONS /graphql                            yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /graphql                                  405    405     405    405        405      405  405      405    405        405            405     405
  OPTIONS /graphql/stream                     yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /graphql/stream                           405    405     405    405        405      405  405      405    405        405            405     405
  OPTIONS /graphql/site                       yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /graphql/site                             405    405     405    405        405      405  405      405    405        405            405     405
  OPTIONS /graphql/site/schema.graphql        yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /graphql/site/schema.graphql              405    405     405    405        405      405  405      405    405        405            405     405
  OPTIONS /graphql/schema.graphql             yes    yes     yes    yes        yes      yes  yes      yes    yes        yes            yes     yes
  * /graphql/schema.graphql                   405    405     405    405        405      405  405      405    405        405            405     405
  GET /channels/:channel/entries              401    401     part   part       403      part part     yes    part       part           403     own
  POST /channels/:channel/entries             401    401     403    yes        403      403  yes      yes    403        yes            403     own
  * /channels/:channel/entries                405    405     405    405        405      405  405      405    405        405            405     405
  GET /channels/:channel/entries/count        401    401     part   part       403      part part     yes    part       part           403     own
  POST /channels/:channel/entries/bulk        401    401     403    yes        403      403  yes      yes    403        yes            403     own
  * /channels/:channel/entries/bulk           405    405     405    405        405      405  405      405    405        405            405     405
  * /channels/:channel/entries/count          405    405     405    405        405      405  405      405    405        405            405     405
  GET /channels/:channel/entries/:entry       401    401     part   part       403      part part     yes    part       part           403     404
  PUT /channels/:channel/entries/:entry       401    401     403    part       403      403  part     yes    403        part           403     404
  PATCH /channels/:channel/entries/:entry     401    401     403    part       403      403  part     yes    403        part           403     404
  DELETE /channels/:channel/entries/:entry    401    401     403    part       403      403  part     yes    403        part           403     404
  * /channels/:channel/entries/:entry         405    405     405    405        405      405  405      405    405        405            405     405
  POST /channels/:channel/entries/:entry/publish  401    401     403    403        403      403  403      yes    403        part           403     404
  * /channels/:channel/entries/:entry/publish  405    405     405    405        405      405  405      405    405        405            405     405
  POST /channels/:channel/entries/:entry/unpublish  401    401     403    403        403      403  403      yes    403        part           403     404
  * /channels/:channel/entries/:entry/unpublish  405    405     405    405        405      405  405      405    405        405            405     405
  GET /channels/:channel/changes              401    401     part   part       403      part part     yes    yes        yes            403     own
  * /channels/:channel/changes                405    405     405    405        405      405  405      405    405        405            405     405
  GET /changes                                401    401     part   part       403      part part     yes    yes        yes            403     own
  * /changes                                  405    405     405    405        405      405  405      405    405        405            405     405
  GET /channels/:channel/entries/:entry/access 401   401     403    403        403      part part     yes    yes        yes            403     404
  * /channels/:channel/entries/:entry/access  405    405     405    405        405      405  405      405    405        405            405     405
  GET /channels                               401    401     yes    yes        403      yes  yes      yes    yes        yes            403     own
  POST /channels                              401    401     403    403        403      403  403      yes    yes        yes            403     own
  * /channels                                 405    405     405    405        405      405  405      405    405        405            405     405
  GET /channels/:channel                      401    401     yes    yes        403      yes  yes      yes    yes        yes            403     404
  PATCH /channels/:channel                    401    401     403    403        403      403  403      yes    yes        yes            403     404
  DELETE /channels/:channel                   401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /channels/:channel                        405    405     405    405        405      405  405      405    405        405            405     405
  GET /channels/:channel/acl-preview          401    401     403    403        403      yes  yes      yes    yes        yes            403     404
  GET /channels/:channel/rights               401    401     yes    yes        403      yes  yes      yes    yes        yes            403     404
  * /channels/:channel/rights                 405    405     405    405        405      405  405      405    405        405            405     405
  * /channels/:channel/acl-preview            405    405     405    405        405      405  405      405    405        405            405     405
  GET /customers                              401    401     403    403        403      403  403      yes    yes        yes            403     own
  POST /customers                             401    401     403    403        403      403  403      yes    yes        yes            403     own
  * /customers                                405    405     405    405        405      405  405      405    405        405            405     405
  GET /customers/:customer                    401    401     403    403        403      403  403      yes    yes        yes            403     404
  PATCH /customers/:customer                  401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /customers/:customer                      405    405     405    405        405      405  405      405    405        405            405     405
  GET /customers/:customer/sessions           401    401     403    403        403      403  403      yes    yes        yes            403     404
  POST /customers/:customer/sessions          401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /customers/:customer/sessions             405    405     405    405        405      405  405      405    405        405            405     405
  DELETE /sessions/:session                   401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /sessions/:session                        405    405     405    405        405      405  405      405    405        405            405     405
  DELETE /session                             401    401     401    yes        403      401  yes      401    401        yes            403     401
  * /session                                  405    405     405    405        405      405  405      405    405        405            405     405
  GET /me                                     401 401 yes yes 403 yes yes yes yes yes 403 own
  * /me                                       405 405 405 405 405 405 405 405 405 405 405 405
  GET /members                                401 401 403 403 403 yes yes yes yes yes 403 own
  * /members                                  405 405 405 405 405 405 405 405 405 405 405 405
  GET /members/:user                          401 401 403 403 403 yes yes yes yes yes 403 404
  PATCH /members/:user                        401 401 403 403 403 403 403 yes yes yes 403 404
  DELETE /members/:user                       401 401 403 403 403 403 403 yes yes yes 403 404
  * /members/:user                            405 405 405 405 405 405 405 405 405 405 405 405
  GET /invitations                            401 401 403 403 403 403 403 yes yes yes 403 own
  POST /invitations                           401 401 403 403 403 403 403 yes yes yes 403 own
  * /invitations                              405 405 405 405 405 405 405 405 405 405 405 405
  GET /invitations/:invitation                401 401 403 403 403 403 403 yes yes yes 403 404
  DELETE /invitations/:invitation             401 401 403 403 403 403 403 yes yes yes 403 404
  * /invitations/:invitation                  405 405 405 405 405 405 405 405 405 405 405 405
  GET /roles                                  401 401 403 403 403 403 403 yes yes yes 403 own
  POST /roles                                 401 401 403 403 403 403 403 yes yes yes 403 own
  * /roles                                    405 405 405 405 405 405 405 405 405 405 405 405
  GET /roles/:role                            401 401 403 403 403 403 403 yes yes yes 403 404
  PATCH /roles/:role                          401 401 403 403 403 403 403 yes yes yes 403 404
  DELETE /roles/:role                         401 401 403 403 403 403 403 yes yes yes 403 404
  * /roles/:role                              405 405 405 405 405 405 405 405 405 405 405 405
  GET /tokens                                 401    401     403    403        403      403  403      yes    yes        yes            403     own
  POST /tokens                                401    401     403    403        403      403  403      yes    yes        yes            403     own
  * /tokens                                   405    405     405    405        405      405  405      405    405        405            405     405
  DELETE /tokens/:token                       401    401     403    403        403      403  403      yes    yes        yes            403     404
  GET /openapi.json                           null   401     yes    yes        403      yes  yes      yes    yes        yes            403     own
  * /openapi.json                             405    405     405    405        405      405  405      405    405        405            405     405
  * /tokens/:token                            405    405     405    405        405      405  405      405    405        405            405     405
  GET /webhooks                               401    401     403    403        403      403  403      yes    yes        yes            403     own
  POST /webhooks                              401    401     403    403        403      403  403      yes    yes        yes            403     own
  * /webhooks                                 405    405     405    405        405      405  405      405    405        405            405     405
  GET /webhooks/:webhook                      401    401     403    403        403      403  403      yes    yes        yes            403     404
  PATCH /webhooks/:webhook                    401    401     403    403        403      403  403      yes    yes        yes            403     404
  DELETE /webhooks/:webhook                   401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /webhooks/:webhook                        405    405     405    405        405      405  405      405    405        405            405     405
  POST /webhooks/:webhook/rotate-secret       401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /webhooks/:webhook/rotate-secret          405    405     405    405        405      405  405      405    405        405            405     405
  POST /webhooks/:webhook/test                401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /webhooks/:webhook/test                   405    405     405    405        405      405  405      405    405        405            405     405
  GET /webhooks/:webhook/deliveries           401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /webhooks/:webhook/deliveries             405    405     405    405        405      405  405      405    405        405            405     405
  POST /webhooks/:webhook/deliveries/:delivery/redeliver 401    401     403    403        403      403  403      yes    yes        yes            403     404
  * /webhooks/:webhook/deliveries/:delivery/redeliver 405    405     405    405        405      405  405      405    405        405            405     405
  GET /audit                                  401    401     403    403        403      403  403      yes    yes        yes            403     own
  * /audit                                    405    405     405    405        405      405  405      405    405        405            405     405
`);

/** The fields of Query and Mutation. */
export const operationTable = doorTable(`
  door                      nobody session public    public+ada stranger user      user+ada  master master/acl master+ada/acl foreign elsewhere
  Query.entry               401    401     part      part       403      part      part      yes    part       part           403     null
  Query.entries             401    401     part      part       403      part      part      yes    part       part           403     own
  Query.channel             401    401     yes       yes        403      yes       yes       yes    yes        yes            403     null
  Query.channels            401    401     yes       yes        403      yes       yes       yes    yes        yes            403     own
  Query.accessExplanation   401    401     FORBIDDEN FORBIDDEN  403      null      null      yes    yes        yes            403     null
  Query.rights              401    401     yes       yes        403      yes       yes       yes    yes        yes            403     null
  Query.channelAclPreview   401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     null
  Query.customer            401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     null
  Query.customers           401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Query.sessions            401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Query.me                  401 401 yes yes 403 yes yes yes yes yes 403 own
  Query.members             401 401 FORBIDDEN FORBIDDEN 403 yes yes yes yes yes 403 own
  Query.roles               401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 own
  Query.invitations         401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 own
  Query.tokens              401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Query.changes             401    401     part      part       403      part      part      yes    yes        yes            403     own
  Query.webhooks            401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Query.auditLog            401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Query.webhookDeliveries   401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.createEntry      401    401     FORBIDDEN yes        403      FORBIDDEN yes       yes    FORBIDDEN  yes            403     own
  Mutation.updateEntry      401    401     FORBIDDEN part       403      FORBIDDEN part      yes    FORBIDDEN  part           403     NOT_FOUND
  Mutation.deleteEntry      401    401     FORBIDDEN part       403      FORBIDDEN part      yes    FORBIDDEN  part           403     NOT_FOUND
  Mutation.publishEntry     401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    FORBIDDEN  part           403     NOT_FOUND
  Mutation.unpublishEntry   401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    FORBIDDEN  part           403     NOT_FOUND
  Mutation.bulkEntries      401    401     FORBIDDEN yes        403      FORBIDDEN yes       yes    FORBIDDEN  yes            403     own
  Mutation.createChannel    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Mutation.updateChannel    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.deleteChannel    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.createCustomer   401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Mutation.updateCustomer   401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.createSession    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.revokeSession    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.updateMember     401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 NOT_FOUND
  Mutation.removeMember     401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 NOT_FOUND
  Mutation.inviteMember     401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 own
  Mutation.revokeInvitation 401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 NOT_FOUND
  Mutation.createRole       401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 own
  Mutation.updateRole       401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 NOT_FOUND
  Mutation.deleteRole       401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 NOT_FOUND
  Mutation.createToken      401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Mutation.revokeToken      401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.createWebhook    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Mutation.updateWebhook    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.deleteWebhook    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.rotateWebhookSecret 401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.testWebhook      401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
  Mutation.redeliver        401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     NOT_FOUND
`);

/**
 * The fields of every other object type: `Type.field`, or `Type.*` for those that have no row of their own. What is
 * told is told of what the caller reached through an operation; a refusal is that operation's.
 */
export const fieldTable = doorTable(`
  door                 nobody session public    public+ada stranger user      user+ada  master master/acl master+ada/acl foreign elsewhere
  Subscription.*       401    401     part      part       403      yes       yes       yes    part       part           403     own
  Entry.*              401    401     part      part       403      part      part      yes    part       part           403     own
  Entry.acl            401    401     null      part       403      part      part      yes    part       part           403     own
  Entry.owner          401    401     null      part       403      part      part      yes    part       part           403     own
  AclRule.*            401    401     null      part       403      part      part      yes    part       part           403     own
  EntryConnection.*    401    401     part      part       403      part      part      yes    part       part           403     own
  EntryEdge.*          401    401     part      part       403      part      part      yes    part       part           403     own
  PageInfo.*           401    401     part      part       403      part      part      yes    part       part           403     own
  ChangeConnection.*   401    401     part      part       403      part      part      yes    yes        yes            403     own
  Change.*             401    401     part      part       403      part      part      yes    yes        yes            403     own
  Change.entry         401    401     part      part       403      part      part      yes    part       part           403     own
  Change.actor         401    401     null      null       403      part      part      yes    yes        yes            403     own
  BulkResult.*         401    401     yes       yes        403      yes       yes       yes    yes        yes            403     own
  OperationResult.*    401    401     part      part       403      part      part      yes    part       part           403     own
  OperationError.*     401    401     yes       yes        403      yes       yes       yes    yes        yes            403     own
  MemberError.*        401    401     yes       yes        403      yes       yes       yes    yes        yes            403     own
  Channel.*            401    401     yes       yes        403      yes       yes       yes    yes        yes            403     own
  Channel.acl          401    401     null      null       403      yes       yes       yes    yes        yes            403     own
  Channel.description  401    401     null      null       403      yes       yes       yes    yes        yes            403     own
  Channel.language     401    401     null      null       403      yes       yes       yes    yes        yes            403     own
  Channel.typeName     401    401     null      null       403      yes       yes       yes    yes        yes            403     own
  Channel.layout       401    401     null      null       403      yes       yes       yes    yes        yes            403     own
  ChannelAcl.*         401    401     null      null       403      yes       yes       yes    yes        yes            403     own
  Field.*              401    401     null      null       403      null      null      null   null       null           403     null
  AccessExplanation.*  401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     own
  AccessDecision.*     401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     own
  FieldDecision.*      401    401     FORBIDDEN FORBIDDEN  403      null      null      null   null       null           403     null
  RuleDecision.*       401    401     FORBIDDEN FORBIDDEN  403      null      null      null   null       null           403     null
  ConsideredKey.*      401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     own
  PublicationSight.*   401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     own
  ChannelAclPreview.*  401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     own
  Rights.*             401    401     yes       yes        403      yes       yes       yes    yes        yes            403     own
  SightChange.*        401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     own
  ChangedEntries.*     401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     own
  EntryStub.*          401    401     FORBIDDEN FORBIDDEN  403      yes       yes       yes    yes        yes            403     own
  Customer.*           401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  CustomerConnection.* 401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  CustomerEdge.*       401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Session.*            401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  SessionWithToken.*   401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Me.*                 401 401 yes yes 403 yes yes yes yes yes 403 own
  User.*               401 401 null null 403 yes yes null null null 403 null
  MySite.*             401 401 yes yes 403 yes yes yes yes yes 403 own
  Member.*             401 401 FORBIDDEN FORBIDDEN 403 yes yes yes yes yes 403 own
  Member.email         401 401 FORBIDDEN FORBIDDEN 403 null null yes yes yes 403 own
  Member.roles         401 401 FORBIDDEN FORBIDDEN 403 null null yes yes yes 403 own
  MemberConnection.*   401 401 FORBIDDEN FORBIDDEN 403 yes yes yes yes yes 403 own
  MemberEdge.*         401 401 FORBIDDEN FORBIDDEN 403 yes yes yes yes yes 403 own
  Invitation.*         401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 own
  InvitationWithUrl.*  401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 own
  Role.*               401 401 FORBIDDEN FORBIDDEN 403 FORBIDDEN FORBIDDEN yes yes yes 403 own
  Token.*              401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  TokenWithSecret.*    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  Webhook.*            401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  WebhookWithSecret.*  401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  WebhookDelivery.*    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  WebhookDeliveryConnection.* 401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  WebhookDeliveryEdge.* 401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  AuditRecord.*        401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  AuditActor.*         401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  AuditConnection.*    401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
  AuditEdge.*          401    401     FORBIDDEN FORBIDDEN  403      FORBIDDEN FORBIDDEN yes    yes        yes            403     own
`);

/** What a kind of caller gets of a field of a type; `*` stands for those without a row of their own. */
export function cellOf(type: string, field: string, kind: Kind): string {
  return (fieldTable.get(`${type}.${field}`) ?? fieldTable.get(`${type}.*`))?.[kind] ?? '';
}
