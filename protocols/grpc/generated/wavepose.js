/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

// Common aliases
const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError;

// Exported root namespace
const $root = $protobuf.roots["default"] || ($protobuf.roots["default"] = {});

export const wavepose = $root.wavepose = (() => {

    /**
     * Namespace wavepose.
     * @exports wavepose
     * @namespace
     */
    const wavepose = {};

    wavepose.v1 = (function() {

        /**
         * Namespace v1.
         * @memberof wavepose
         * @namespace
         */
        const v1 = {};

        v1.RecordCsiRequest = (function() {

            /**
             * Properties of a RecordCsiRequest.
             * @typedef {Object} wavepose.v1.RecordCsiRequest.$Properties
             * @property {string|null} [environmentId] RecordCsiRequest environmentId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a RecordCsiRequest.
             * @memberof wavepose.v1
             * @interface IRecordCsiRequest
             * @augments wavepose.v1.RecordCsiRequest.$Properties
             * @deprecated Use wavepose.v1.RecordCsiRequest.$Properties instead.
             */

            /**
             * Shape of a RecordCsiRequest.
             * @typedef {wavepose.v1.RecordCsiRequest.$Properties} wavepose.v1.RecordCsiRequest.$Shape
             */

            /**
             * Constructs a new RecordCsiRequest.
             * @memberof wavepose.v1
             * @classdesc Represents a RecordCsiRequest.
             * @constructor
             * @param {wavepose.v1.RecordCsiRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const RecordCsiRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * RecordCsiRequest environmentId.
             * @member {string|null|undefined} environmentId
             * @memberof wavepose.v1.RecordCsiRequest
             * @instance
             */
            RecordCsiRequest.prototype.environmentId = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RecordCsiRequest.prototype, "_environmentId", {
                get: $util.oneOfGetter($oneOfFields = ["environmentId"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new RecordCsiRequest instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.RecordCsiRequest
             * @static
             * @param {wavepose.v1.RecordCsiRequest.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.RecordCsiRequest} RecordCsiRequest instance
             * @type {{
             *   (properties: wavepose.v1.RecordCsiRequest.$Shape): wavepose.v1.RecordCsiRequest & wavepose.v1.RecordCsiRequest.$Shape;
             *   (properties?: wavepose.v1.RecordCsiRequest.$Properties): wavepose.v1.RecordCsiRequest;
             * }}
             */
            RecordCsiRequest.create = function(properties) {
                return new RecordCsiRequest(properties);
            };

            /**
             * Encodes the specified RecordCsiRequest message. Does not implicitly {@link wavepose.v1.RecordCsiRequest.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.RecordCsiRequest
             * @static
             * @param {wavepose.v1.RecordCsiRequest.$Properties} message RecordCsiRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            RecordCsiRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.environmentId != null && $Object.hasOwnProperty.call(message, "environmentId"))
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.environmentId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a RecordCsiRequest message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.RecordCsiRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.RecordCsiRequest & wavepose.v1.RecordCsiRequest.$Shape} RecordCsiRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            RecordCsiRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.RecordCsiRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.environmentId = reader.stringVerify();
                            message._environmentId = "environmentId";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return RecordCsiRequest;
        })();

        v1.RecordCsiResponse = (function() {

            /**
             * Properties of a RecordCsiResponse.
             * @typedef {Object} wavepose.v1.RecordCsiResponse.$Properties
             * @property {string|null} [environmentId] RecordCsiResponse environmentId
             * @property {Array.<string>|null} [routerIds] RecordCsiResponse routerIds
             * @property {wavepose.v1.CsiBatch.$Properties|null} [batch] RecordCsiResponse batch
             * @property {number|null} [lostBatches] RecordCsiResponse lostBatches
             * @property {number|null} [interruptions] RecordCsiResponse interruptions
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a RecordCsiResponse.
             * @memberof wavepose.v1
             * @interface IRecordCsiResponse
             * @augments wavepose.v1.RecordCsiResponse.$Properties
             * @deprecated Use wavepose.v1.RecordCsiResponse.$Properties instead.
             */

            /**
             * Shape of a RecordCsiResponse.
             * @typedef {wavepose.v1.RecordCsiResponse.$Properties} wavepose.v1.RecordCsiResponse.$Shape
             */

            /**
             * Constructs a new RecordCsiResponse.
             * @memberof wavepose.v1
             * @classdesc Represents a RecordCsiResponse.
             * @constructor
             * @param {wavepose.v1.RecordCsiResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const RecordCsiResponse = function (properties) {
                this.routerIds = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * RecordCsiResponse environmentId.
             * @member {string} environmentId
             * @memberof wavepose.v1.RecordCsiResponse
             * @instance
             */
            RecordCsiResponse.prototype.environmentId = "";

            /**
             * RecordCsiResponse routerIds.
             * @member {Array.<string>} routerIds
             * @memberof wavepose.v1.RecordCsiResponse
             * @instance
             */
            RecordCsiResponse.prototype.routerIds = $util.emptyArray;

            /**
             * RecordCsiResponse batch.
             * @member {wavepose.v1.CsiBatch.$Properties|null|undefined} batch
             * @memberof wavepose.v1.RecordCsiResponse
             * @instance
             */
            RecordCsiResponse.prototype.batch = null;

            /**
             * RecordCsiResponse lostBatches.
             * @member {number} lostBatches
             * @memberof wavepose.v1.RecordCsiResponse
             * @instance
             */
            RecordCsiResponse.prototype.lostBatches = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * RecordCsiResponse interruptions.
             * @member {number} interruptions
             * @memberof wavepose.v1.RecordCsiResponse
             * @instance
             */
            RecordCsiResponse.prototype.interruptions = 0;

            /**
             * Creates a new RecordCsiResponse instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.RecordCsiResponse
             * @static
             * @param {wavepose.v1.RecordCsiResponse.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.RecordCsiResponse} RecordCsiResponse instance
             * @type {{
             *   (properties: wavepose.v1.RecordCsiResponse.$Shape): wavepose.v1.RecordCsiResponse & wavepose.v1.RecordCsiResponse.$Shape;
             *   (properties?: wavepose.v1.RecordCsiResponse.$Properties): wavepose.v1.RecordCsiResponse;
             * }}
             */
            RecordCsiResponse.create = function(properties) {
                return new RecordCsiResponse(properties);
            };

            /**
             * Encodes the specified RecordCsiResponse message. Does not implicitly {@link wavepose.v1.RecordCsiResponse.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.RecordCsiResponse
             * @static
             * @param {wavepose.v1.RecordCsiResponse.$Properties} message RecordCsiResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            RecordCsiResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.environmentId != null && $Object.hasOwnProperty.call(message, "environmentId") && message.environmentId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.environmentId);
                if (message.routerIds != null && message.routerIds.length)
                    for (let i = 0; i < message.routerIds.length; ++i)
                        writer.uint32(/* id 2, wireType 2 =*/18).string(message.routerIds[i]);
                if (message.batch != null && $Object.hasOwnProperty.call(message, "batch"))
                    $root.wavepose.v1.CsiBatch.encode(message.batch, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.lostBatches != null && $Object.hasOwnProperty.call(message, "lostBatches") && (typeof message.lostBatches === "object" ? message.lostBatches.low || message.lostBatches.high : message.lostBatches !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).uint64(message.lostBatches);
                if (message.interruptions != null && $Object.hasOwnProperty.call(message, "interruptions") && message.interruptions !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.interruptions);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a RecordCsiResponse message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.RecordCsiResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.RecordCsiResponse & wavepose.v1.RecordCsiResponse.$Shape} RecordCsiResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            RecordCsiResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.RecordCsiResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.environmentId = value;
                            else
                                delete message.environmentId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.routerIds && message.routerIds.length))
                                message.routerIds = [];
                            message.routerIds.push(reader.stringVerify());
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.batch = $root.wavepose.v1.CsiBatch.decode(reader, reader.size(), $undefined, _depth + 1, message.batch);
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.lostBatches = value;
                            else
                                delete message.lostBatches;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.interruptions = value;
                            else
                                delete message.interruptions;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return RecordCsiResponse;
        })();

        /**
         * Source enum.
         * @name wavepose.v1.Source
         * @enum {number}
         * @property {number} SOURCE_UNSPECIFIED=0 SOURCE_UNSPECIFIED value
         * @property {number} SOURCE_LIVE=1 SOURCE_LIVE value
         * @property {number} SOURCE_REPLAY=2 SOURCE_REPLAY value
         * @property {number} SOURCE_SIMULATED=3 SOURCE_SIMULATED value
         */
        v1.Source = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "SOURCE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "SOURCE_LIVE"] = 1;
            values[valuesById[2] = "SOURCE_REPLAY"] = 2;
            values[valuesById[3] = "SOURCE_SIMULATED"] = 3;
            return values;
        })();

        /**
         * SampleType enum.
         * @name wavepose.v1.SampleType
         * @enum {number}
         * @property {number} SAMPLE_TYPE_UNSPECIFIED=0 SAMPLE_TYPE_UNSPECIFIED value
         * @property {number} SAMPLE_TYPE_INT8=1 SAMPLE_TYPE_INT8 value
         * @property {number} SAMPLE_TYPE_INT16=2 SAMPLE_TYPE_INT16 value
         * @property {number} SAMPLE_TYPE_FLOAT32=3 SAMPLE_TYPE_FLOAT32 value
         */
        v1.SampleType = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "SAMPLE_TYPE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "SAMPLE_TYPE_INT8"] = 1;
            values[valuesById[2] = "SAMPLE_TYPE_INT16"] = 2;
            values[valuesById[3] = "SAMPLE_TYPE_FLOAT32"] = 3;
            return values;
        })();

        v1.RadioLayout = (function() {

            /**
             * Properties of a RadioLayout.
             * @typedef {Object} wavepose.v1.RadioLayout.$Properties
             * @property {string|null} [format] RadioLayout format
             * @property {number|null} [receiveAntennas] RadioLayout receiveAntennas
             * @property {number|null} [transmitAntennas] RadioLayout transmitAntennas
             * @property {Array.<number>|null} [subcarrierIndices] RadioLayout subcarrierIndices
             * @property {number|null} [subcarrierSpacingHz] RadioLayout subcarrierSpacingHz
             * @property {number|null} [centerFrequencyHz] RadioLayout centerFrequencyHz
             * @property {number|null} [bandwidthHz] RadioLayout bandwidthHz
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a RadioLayout.
             * @memberof wavepose.v1
             * @interface IRadioLayout
             * @augments wavepose.v1.RadioLayout.$Properties
             * @deprecated Use wavepose.v1.RadioLayout.$Properties instead.
             */

            /**
             * Shape of a RadioLayout.
             * @typedef {wavepose.v1.RadioLayout.$Properties} wavepose.v1.RadioLayout.$Shape
             */

            /**
             * Constructs a new RadioLayout.
             * @memberof wavepose.v1
             * @classdesc Represents a RadioLayout.
             * @constructor
             * @param {wavepose.v1.RadioLayout.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const RadioLayout = function (properties) {
                this.subcarrierIndices = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * RadioLayout format.
             * @member {string} format
             * @memberof wavepose.v1.RadioLayout
             * @instance
             */
            RadioLayout.prototype.format = "";

            /**
             * RadioLayout receiveAntennas.
             * @member {number} receiveAntennas
             * @memberof wavepose.v1.RadioLayout
             * @instance
             */
            RadioLayout.prototype.receiveAntennas = 0;

            /**
             * RadioLayout transmitAntennas.
             * @member {number} transmitAntennas
             * @memberof wavepose.v1.RadioLayout
             * @instance
             */
            RadioLayout.prototype.transmitAntennas = 0;

            /**
             * RadioLayout subcarrierIndices.
             * @member {Array.<number>} subcarrierIndices
             * @memberof wavepose.v1.RadioLayout
             * @instance
             */
            RadioLayout.prototype.subcarrierIndices = $util.emptyArray;

            /**
             * RadioLayout subcarrierSpacingHz.
             * @member {number} subcarrierSpacingHz
             * @memberof wavepose.v1.RadioLayout
             * @instance
             */
            RadioLayout.prototype.subcarrierSpacingHz = 0;

            /**
             * RadioLayout centerFrequencyHz.
             * @member {number} centerFrequencyHz
             * @memberof wavepose.v1.RadioLayout
             * @instance
             */
            RadioLayout.prototype.centerFrequencyHz = 0;

            /**
             * RadioLayout bandwidthHz.
             * @member {number} bandwidthHz
             * @memberof wavepose.v1.RadioLayout
             * @instance
             */
            RadioLayout.prototype.bandwidthHz = 0;

            /**
             * Creates a new RadioLayout instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.RadioLayout
             * @static
             * @param {wavepose.v1.RadioLayout.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.RadioLayout} RadioLayout instance
             * @type {{
             *   (properties: wavepose.v1.RadioLayout.$Shape): wavepose.v1.RadioLayout & wavepose.v1.RadioLayout.$Shape;
             *   (properties?: wavepose.v1.RadioLayout.$Properties): wavepose.v1.RadioLayout;
             * }}
             */
            RadioLayout.create = function(properties) {
                return new RadioLayout(properties);
            };

            /**
             * Encodes the specified RadioLayout message. Does not implicitly {@link wavepose.v1.RadioLayout.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.RadioLayout
             * @static
             * @param {wavepose.v1.RadioLayout.$Properties} message RadioLayout message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            RadioLayout.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.format != null && $Object.hasOwnProperty.call(message, "format") && message.format !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.format);
                if (message.receiveAntennas != null && $Object.hasOwnProperty.call(message, "receiveAntennas") && message.receiveAntennas !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.receiveAntennas);
                if (message.transmitAntennas != null && $Object.hasOwnProperty.call(message, "transmitAntennas") && message.transmitAntennas !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.transmitAntennas);
                if (message.subcarrierIndices != null && message.subcarrierIndices.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).sint32s(message.subcarrierIndices);
                if (message.subcarrierSpacingHz != null && $Object.hasOwnProperty.call(message, "subcarrierSpacingHz") && !$Object.is(message.subcarrierSpacingHz, 0))
                    writer.uint32(/* id 5, wireType 1 =*/41).double(message.subcarrierSpacingHz);
                if (message.centerFrequencyHz != null && $Object.hasOwnProperty.call(message, "centerFrequencyHz") && !$Object.is(message.centerFrequencyHz, 0))
                    writer.uint32(/* id 6, wireType 1 =*/49).double(message.centerFrequencyHz);
                if (message.bandwidthHz != null && $Object.hasOwnProperty.call(message, "bandwidthHz") && !$Object.is(message.bandwidthHz, 0))
                    writer.uint32(/* id 7, wireType 1 =*/57).double(message.bandwidthHz);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a RadioLayout message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.RadioLayout
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.RadioLayout & wavepose.v1.RadioLayout.$Shape} RadioLayout
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            RadioLayout.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.RadioLayout();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.format = value;
                            else
                                delete message.format;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.receiveAntennas = value;
                            else
                                delete message.receiveAntennas;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.transmitAntennas = value;
                            else
                                delete message.transmitAntennas;
                            continue;
                        }
                    case 4: {
                            if (wireType === 2) {
                                if (!(message.subcarrierIndices && message.subcarrierIndices.length))
                                    message.subcarrierIndices = [];
                                reader.sint32s(message.subcarrierIndices);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.subcarrierIndices && message.subcarrierIndices.length))
                                message.subcarrierIndices = [];
                            message.subcarrierIndices.push(reader.sint32());
                            continue;
                        }
                    case 5: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.subcarrierSpacingHz = value;
                            else
                                delete message.subcarrierSpacingHz;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.centerFrequencyHz = value;
                            else
                                delete message.centerFrequencyHz;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.bandwidthHz = value;
                            else
                                delete message.bandwidthHz;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return RadioLayout;
        })();

        v1.CsiBatch = (function() {

            /**
             * Properties of a CsiBatch.
             * @typedef {Object} wavepose.v1.CsiBatch.$Properties
             * @property {string|null} [routerId] CsiBatch routerId
             * @property {number|null} [batchSequence] CsiBatch batchSequence
             * @property {wavepose.v1.Source|null} [source] CsiBatch source
             * @property {wavepose.v1.RadioLayout.$Properties|null} [layout] CsiBatch layout
             * @property {number|null} [frameCount] CsiBatch frameCount
             * @property {Uint8Array|null} [timestampsUs] CsiBatch timestampsUs
             * @property {Uint8Array|null} [sequences] CsiBatch sequences
             * @property {Uint8Array|null} [rssiDbm] CsiBatch rssiDbm
             * @property {Uint8Array|null} [noiseFloorDbm] CsiBatch noiseFloorDbm
             * @property {Uint8Array|null} [transmitterIndex] CsiBatch transmitterIndex
             * @property {Array.<string>|null} [transmitterIds] CsiBatch transmitterIds
             * @property {wavepose.v1.SampleType|null} [sampleType] CsiBatch sampleType
             * @property {Uint8Array|null} [csi] CsiBatch csi
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a CsiBatch.
             * @memberof wavepose.v1
             * @interface ICsiBatch
             * @augments wavepose.v1.CsiBatch.$Properties
             * @deprecated Use wavepose.v1.CsiBatch.$Properties instead.
             */

            /**
             * Shape of a CsiBatch.
             * @typedef {wavepose.v1.CsiBatch.$Properties} wavepose.v1.CsiBatch.$Shape
             */

            /**
             * Constructs a new CsiBatch.
             * @memberof wavepose.v1
             * @classdesc Represents a CsiBatch.
             * @constructor
             * @param {wavepose.v1.CsiBatch.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const CsiBatch = function (properties) {
                this.transmitterIds = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * CsiBatch routerId.
             * @member {string} routerId
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.routerId = "";

            /**
             * CsiBatch batchSequence.
             * @member {number} batchSequence
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.batchSequence = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * CsiBatch source.
             * @member {wavepose.v1.Source} source
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.source = 0;

            /**
             * CsiBatch layout.
             * @member {wavepose.v1.RadioLayout.$Properties|null|undefined} layout
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.layout = null;

            /**
             * CsiBatch frameCount.
             * @member {number} frameCount
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.frameCount = 0;

            /**
             * CsiBatch timestampsUs.
             * @member {Uint8Array} timestampsUs
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.timestampsUs = $util.newBuffer([]);

            /**
             * CsiBatch sequences.
             * @member {Uint8Array} sequences
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.sequences = $util.newBuffer([]);

            /**
             * CsiBatch rssiDbm.
             * @member {Uint8Array} rssiDbm
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.rssiDbm = $util.newBuffer([]);

            /**
             * CsiBatch noiseFloorDbm.
             * @member {Uint8Array} noiseFloorDbm
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.noiseFloorDbm = $util.newBuffer([]);

            /**
             * CsiBatch transmitterIndex.
             * @member {Uint8Array} transmitterIndex
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.transmitterIndex = $util.newBuffer([]);

            /**
             * CsiBatch transmitterIds.
             * @member {Array.<string>} transmitterIds
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.transmitterIds = $util.emptyArray;

            /**
             * CsiBatch sampleType.
             * @member {wavepose.v1.SampleType} sampleType
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.sampleType = 0;

            /**
             * CsiBatch csi.
             * @member {Uint8Array} csi
             * @memberof wavepose.v1.CsiBatch
             * @instance
             */
            CsiBatch.prototype.csi = $util.newBuffer([]);

            /**
             * Creates a new CsiBatch instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.CsiBatch
             * @static
             * @param {wavepose.v1.CsiBatch.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.CsiBatch} CsiBatch instance
             * @type {{
             *   (properties: wavepose.v1.CsiBatch.$Shape): wavepose.v1.CsiBatch & wavepose.v1.CsiBatch.$Shape;
             *   (properties?: wavepose.v1.CsiBatch.$Properties): wavepose.v1.CsiBatch;
             * }}
             */
            CsiBatch.create = function(properties) {
                return new CsiBatch(properties);
            };

            /**
             * Encodes the specified CsiBatch message. Does not implicitly {@link wavepose.v1.CsiBatch.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.CsiBatch
             * @static
             * @param {wavepose.v1.CsiBatch.$Properties} message CsiBatch message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            CsiBatch.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.routerId != null && $Object.hasOwnProperty.call(message, "routerId") && message.routerId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.routerId);
                if (message.batchSequence != null && $Object.hasOwnProperty.call(message, "batchSequence") && (typeof message.batchSequence === "object" ? message.batchSequence.low || message.batchSequence.high : message.batchSequence !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).uint64(message.batchSequence);
                if (message.source != null && $Object.hasOwnProperty.call(message, "source") && message.source !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.source);
                if (message.layout != null && $Object.hasOwnProperty.call(message, "layout"))
                    $root.wavepose.v1.RadioLayout.encode(message.layout, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.frameCount != null && $Object.hasOwnProperty.call(message, "frameCount") && message.frameCount !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.frameCount);
                if (message.timestampsUs != null && $Object.hasOwnProperty.call(message, "timestampsUs") && message.timestampsUs.length)
                    writer.uint32(/* id 6, wireType 2 =*/50).bytes(message.timestampsUs);
                if (message.sequences != null && $Object.hasOwnProperty.call(message, "sequences") && message.sequences.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.sequences);
                if (message.rssiDbm != null && $Object.hasOwnProperty.call(message, "rssiDbm") && message.rssiDbm.length)
                    writer.uint32(/* id 8, wireType 2 =*/66).bytes(message.rssiDbm);
                if (message.noiseFloorDbm != null && $Object.hasOwnProperty.call(message, "noiseFloorDbm") && message.noiseFloorDbm.length)
                    writer.uint32(/* id 9, wireType 2 =*/74).bytes(message.noiseFloorDbm);
                if (message.transmitterIndex != null && $Object.hasOwnProperty.call(message, "transmitterIndex") && message.transmitterIndex.length)
                    writer.uint32(/* id 10, wireType 2 =*/82).bytes(message.transmitterIndex);
                if (message.transmitterIds != null && message.transmitterIds.length)
                    for (let i = 0; i < message.transmitterIds.length; ++i)
                        writer.uint32(/* id 11, wireType 2 =*/90).string(message.transmitterIds[i]);
                if (message.sampleType != null && $Object.hasOwnProperty.call(message, "sampleType") && message.sampleType !== 0)
                    writer.uint32(/* id 12, wireType 0 =*/96).int32(message.sampleType);
                if (message.csi != null && $Object.hasOwnProperty.call(message, "csi") && message.csi.length)
                    writer.uint32(/* id 13, wireType 2 =*/106).bytes(message.csi);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a CsiBatch message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.CsiBatch
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.CsiBatch & wavepose.v1.CsiBatch.$Shape} CsiBatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            CsiBatch.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.CsiBatch();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.routerId = value;
                            else
                                delete message.routerId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.batchSequence = value;
                            else
                                delete message.batchSequence;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.source = value;
                            else
                                delete message.source;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.layout = $root.wavepose.v1.RadioLayout.decode(reader, reader.size(), $undefined, _depth + 1, message.layout);
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.frameCount = value;
                            else
                                delete message.frameCount;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.timestampsUs = value;
                            else
                                delete message.timestampsUs;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.sequences = value;
                            else
                                delete message.sequences;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.rssiDbm = value;
                            else
                                delete message.rssiDbm;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.noiseFloorDbm = value;
                            else
                                delete message.noiseFloorDbm;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.transmitterIndex = value;
                            else
                                delete message.transmitterIndex;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if (!(message.transmitterIds && message.transmitterIds.length))
                                message.transmitterIds = [];
                            message.transmitterIds.push(reader.stringVerify());
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.sampleType = value;
                            else
                                delete message.sampleType;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.csi = value;
                            else
                                delete message.csi;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return CsiBatch;
        })();

        v1.IngestAck = (function() {

            /**
             * Properties of an IngestAck.
             * @typedef {Object} wavepose.v1.IngestAck.$Properties
             * @property {number|null} [batchSequence] IngestAck batchSequence
             * @property {number|null} [acceptedFrames] IngestAck acceptedFrames
             * @property {number|null} [droppedFrames] IngestAck droppedFrames
             * @property {string|null} [reason] IngestAck reason
             * @property {string|null} [errorCode] IngestAck errorCode
             * @property {number|null} [credit] IngestAck credit
             * @property {string|null} [nodeAddress] IngestAck nodeAddress
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an IngestAck.
             * @memberof wavepose.v1
             * @interface IIngestAck
             * @augments wavepose.v1.IngestAck.$Properties
             * @deprecated Use wavepose.v1.IngestAck.$Properties instead.
             */

            /**
             * Shape of an IngestAck.
             * @typedef {wavepose.v1.IngestAck.$Properties} wavepose.v1.IngestAck.$Shape
             */

            /**
             * Constructs a new IngestAck.
             * @memberof wavepose.v1
             * @classdesc Represents an IngestAck.
             * @constructor
             * @param {wavepose.v1.IngestAck.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const IngestAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * IngestAck batchSequence.
             * @member {number} batchSequence
             * @memberof wavepose.v1.IngestAck
             * @instance
             */
            IngestAck.prototype.batchSequence = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * IngestAck acceptedFrames.
             * @member {number} acceptedFrames
             * @memberof wavepose.v1.IngestAck
             * @instance
             */
            IngestAck.prototype.acceptedFrames = 0;

            /**
             * IngestAck droppedFrames.
             * @member {number} droppedFrames
             * @memberof wavepose.v1.IngestAck
             * @instance
             */
            IngestAck.prototype.droppedFrames = 0;

            /**
             * IngestAck reason.
             * @member {string} reason
             * @memberof wavepose.v1.IngestAck
             * @instance
             */
            IngestAck.prototype.reason = "";

            /**
             * IngestAck errorCode.
             * @member {string} errorCode
             * @memberof wavepose.v1.IngestAck
             * @instance
             */
            IngestAck.prototype.errorCode = "";

            /**
             * IngestAck credit.
             * @member {number} credit
             * @memberof wavepose.v1.IngestAck
             * @instance
             */
            IngestAck.prototype.credit = 0;

            /**
             * IngestAck nodeAddress.
             * @member {string} nodeAddress
             * @memberof wavepose.v1.IngestAck
             * @instance
             */
            IngestAck.prototype.nodeAddress = "";

            /**
             * Creates a new IngestAck instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.IngestAck
             * @static
             * @param {wavepose.v1.IngestAck.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.IngestAck} IngestAck instance
             * @type {{
             *   (properties: wavepose.v1.IngestAck.$Shape): wavepose.v1.IngestAck & wavepose.v1.IngestAck.$Shape;
             *   (properties?: wavepose.v1.IngestAck.$Properties): wavepose.v1.IngestAck;
             * }}
             */
            IngestAck.create = function(properties) {
                return new IngestAck(properties);
            };

            /**
             * Encodes the specified IngestAck message. Does not implicitly {@link wavepose.v1.IngestAck.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.IngestAck
             * @static
             * @param {wavepose.v1.IngestAck.$Properties} message IngestAck message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            IngestAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.batchSequence != null && $Object.hasOwnProperty.call(message, "batchSequence") && (typeof message.batchSequence === "object" ? message.batchSequence.low || message.batchSequence.high : message.batchSequence !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.batchSequence);
                if (message.acceptedFrames != null && $Object.hasOwnProperty.call(message, "acceptedFrames") && message.acceptedFrames !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.acceptedFrames);
                if (message.droppedFrames != null && $Object.hasOwnProperty.call(message, "droppedFrames") && message.droppedFrames !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.droppedFrames);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.reason);
                if (message.errorCode != null && $Object.hasOwnProperty.call(message, "errorCode") && message.errorCode !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.errorCode);
                if (message.credit != null && $Object.hasOwnProperty.call(message, "credit") && message.credit !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.credit);
                if (message.nodeAddress != null && $Object.hasOwnProperty.call(message, "nodeAddress") && message.nodeAddress !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.nodeAddress);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an IngestAck message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.IngestAck
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.IngestAck & wavepose.v1.IngestAck.$Shape} IngestAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            IngestAck.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.IngestAck();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.batchSequence = value;
                            else
                                delete message.batchSequence;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.acceptedFrames = value;
                            else
                                delete message.acceptedFrames;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.droppedFrames = value;
                            else
                                delete message.droppedFrames;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reason = value;
                            else
                                delete message.reason;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.errorCode = value;
                            else
                                delete message.errorCode;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.credit = value;
                            else
                                delete message.credit;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeAddress = value;
                            else
                                delete message.nodeAddress;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return IngestAck;
        })();

        v1.WatchEdgeRequest = (function() {

            /**
             * Properties of a WatchEdgeRequest.
             * @typedef {Object} wavepose.v1.WatchEdgeRequest.$Properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WatchEdgeRequest.
             * @memberof wavepose.v1
             * @interface IWatchEdgeRequest
             * @augments wavepose.v1.WatchEdgeRequest.$Properties
             * @deprecated Use wavepose.v1.WatchEdgeRequest.$Properties instead.
             */

            /**
             * Shape of a WatchEdgeRequest.
             * @typedef {wavepose.v1.WatchEdgeRequest.$Properties} wavepose.v1.WatchEdgeRequest.$Shape
             */

            /**
             * Constructs a new WatchEdgeRequest.
             * @memberof wavepose.v1
             * @classdesc Represents a WatchEdgeRequest.
             * @constructor
             * @param {wavepose.v1.WatchEdgeRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WatchEdgeRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Creates a new WatchEdgeRequest instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.WatchEdgeRequest
             * @static
             * @param {wavepose.v1.WatchEdgeRequest.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.WatchEdgeRequest} WatchEdgeRequest instance
             * @type {{
             *   (properties: wavepose.v1.WatchEdgeRequest.$Shape): wavepose.v1.WatchEdgeRequest & wavepose.v1.WatchEdgeRequest.$Shape;
             *   (properties?: wavepose.v1.WatchEdgeRequest.$Properties): wavepose.v1.WatchEdgeRequest;
             * }}
             */
            WatchEdgeRequest.create = function(properties) {
                return new WatchEdgeRequest(properties);
            };

            /**
             * Encodes the specified WatchEdgeRequest message. Does not implicitly {@link wavepose.v1.WatchEdgeRequest.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.WatchEdgeRequest
             * @static
             * @param {wavepose.v1.WatchEdgeRequest.$Properties} message WatchEdgeRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WatchEdgeRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WatchEdgeRequest message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.WatchEdgeRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.WatchEdgeRequest & wavepose.v1.WatchEdgeRequest.$Shape} WatchEdgeRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WatchEdgeRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.WatchEdgeRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WatchEdgeRequest;
        })();

        v1.ListEdgeRequest = (function() {

            /**
             * Properties of a ListEdgeRequest.
             * @typedef {Object} wavepose.v1.ListEdgeRequest.$Properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListEdgeRequest.
             * @memberof wavepose.v1
             * @interface IListEdgeRequest
             * @augments wavepose.v1.ListEdgeRequest.$Properties
             * @deprecated Use wavepose.v1.ListEdgeRequest.$Properties instead.
             */

            /**
             * Shape of a ListEdgeRequest.
             * @typedef {wavepose.v1.ListEdgeRequest.$Properties} wavepose.v1.ListEdgeRequest.$Shape
             */

            /**
             * Constructs a new ListEdgeRequest.
             * @memberof wavepose.v1
             * @classdesc Represents a ListEdgeRequest.
             * @constructor
             * @param {wavepose.v1.ListEdgeRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListEdgeRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Creates a new ListEdgeRequest instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.ListEdgeRequest
             * @static
             * @param {wavepose.v1.ListEdgeRequest.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.ListEdgeRequest} ListEdgeRequest instance
             * @type {{
             *   (properties: wavepose.v1.ListEdgeRequest.$Shape): wavepose.v1.ListEdgeRequest & wavepose.v1.ListEdgeRequest.$Shape;
             *   (properties?: wavepose.v1.ListEdgeRequest.$Properties): wavepose.v1.ListEdgeRequest;
             * }}
             */
            ListEdgeRequest.create = function(properties) {
                return new ListEdgeRequest(properties);
            };

            /**
             * Encodes the specified ListEdgeRequest message. Does not implicitly {@link wavepose.v1.ListEdgeRequest.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.ListEdgeRequest
             * @static
             * @param {wavepose.v1.ListEdgeRequest.$Properties} message ListEdgeRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListEdgeRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListEdgeRequest message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.ListEdgeRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.ListEdgeRequest & wavepose.v1.ListEdgeRequest.$Shape} ListEdgeRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListEdgeRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.ListEdgeRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListEdgeRequest;
        })();

        v1.ListEdgeResponse = (function() {

            /**
             * Properties of a ListEdgeResponse.
             * @typedef {Object} wavepose.v1.ListEdgeResponse.$Properties
             * @property {Array.<wavepose.v1.EdgeRecord.$Properties>|null} [records] ListEdgeResponse records
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListEdgeResponse.
             * @memberof wavepose.v1
             * @interface IListEdgeResponse
             * @augments wavepose.v1.ListEdgeResponse.$Properties
             * @deprecated Use wavepose.v1.ListEdgeResponse.$Properties instead.
             */

            /**
             * Shape of a ListEdgeResponse.
             * @typedef {wavepose.v1.ListEdgeResponse.$Properties} wavepose.v1.ListEdgeResponse.$Shape
             */

            /**
             * Constructs a new ListEdgeResponse.
             * @memberof wavepose.v1
             * @classdesc Represents a ListEdgeResponse.
             * @constructor
             * @param {wavepose.v1.ListEdgeResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListEdgeResponse = function (properties) {
                this.records = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ListEdgeResponse records.
             * @member {Array.<wavepose.v1.EdgeRecord.$Properties>} records
             * @memberof wavepose.v1.ListEdgeResponse
             * @instance
             */
            ListEdgeResponse.prototype.records = $util.emptyArray;

            /**
             * Creates a new ListEdgeResponse instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.ListEdgeResponse
             * @static
             * @param {wavepose.v1.ListEdgeResponse.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.ListEdgeResponse} ListEdgeResponse instance
             * @type {{
             *   (properties: wavepose.v1.ListEdgeResponse.$Shape): wavepose.v1.ListEdgeResponse & wavepose.v1.ListEdgeResponse.$Shape;
             *   (properties?: wavepose.v1.ListEdgeResponse.$Properties): wavepose.v1.ListEdgeResponse;
             * }}
             */
            ListEdgeResponse.create = function(properties) {
                return new ListEdgeResponse(properties);
            };

            /**
             * Encodes the specified ListEdgeResponse message. Does not implicitly {@link wavepose.v1.ListEdgeResponse.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.ListEdgeResponse
             * @static
             * @param {wavepose.v1.ListEdgeResponse.$Properties} message ListEdgeResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListEdgeResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.records != null && message.records.length)
                    for (let i = 0; i < message.records.length; ++i)
                        $root.wavepose.v1.EdgeRecord.encode(message.records[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListEdgeResponse message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.ListEdgeResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.ListEdgeResponse & wavepose.v1.ListEdgeResponse.$Shape} ListEdgeResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListEdgeResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.ListEdgeResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.records && message.records.length))
                                message.records = [];
                            message.records.push($root.wavepose.v1.EdgeRecord.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListEdgeResponse;
        })();

        v1.WatchEdgeResponse = (function() {

            /**
             * Properties of a WatchEdgeResponse.
             * @typedef {Object} wavepose.v1.WatchEdgeResponse.$Properties
             * @property {wavepose.v1.EdgeRecord.$Properties|null} [record] WatchEdgeResponse record
             * @property {wavepose.v1.EdgeRefusal.$Properties|null} [refusal] WatchEdgeResponse refusal
             * @property {"record"|"refusal"} [update] WatchEdgeResponse update
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WatchEdgeResponse.
             * @memberof wavepose.v1
             * @interface IWatchEdgeResponse
             * @augments wavepose.v1.WatchEdgeResponse.$Properties
             * @deprecated Use wavepose.v1.WatchEdgeResponse.$Properties instead.
             */

            /**
             * Narrowed shape of a WatchEdgeResponse.
             * @typedef {{
             *   record?: wavepose.v1.EdgeRecord.$Shape|null;
             *   refusal?: wavepose.v1.EdgeRefusal.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ update?: undefined; record?: null; refusal?: null }|{ update?: "record"; record: wavepose.v1.EdgeRecord.$Shape; refusal?: null }|{ update?: "refusal"; record?: null; refusal: wavepose.v1.EdgeRefusal.$Shape })
             * )} wavepose.v1.WatchEdgeResponse.$Shape
             */

            /**
             * Constructs a new WatchEdgeResponse.
             * @memberof wavepose.v1
             * @classdesc Represents a WatchEdgeResponse.
             * @constructor
             * @param {wavepose.v1.WatchEdgeResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WatchEdgeResponse = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WatchEdgeResponse record.
             * @member {wavepose.v1.EdgeRecord.$Properties|null|undefined} record
             * @memberof wavepose.v1.WatchEdgeResponse
             * @instance
             */
            WatchEdgeResponse.prototype.record = null;

            /**
             * WatchEdgeResponse refusal.
             * @member {wavepose.v1.EdgeRefusal.$Properties|null|undefined} refusal
             * @memberof wavepose.v1.WatchEdgeResponse
             * @instance
             */
            WatchEdgeResponse.prototype.refusal = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * WatchEdgeResponse update.
             * @member {"record"|"refusal"|undefined} update
             * @memberof wavepose.v1.WatchEdgeResponse
             * @instance
             */
            $Object.defineProperty(WatchEdgeResponse.prototype, "update", {
                get: $util.oneOfGetter($oneOfFields = ["record", "refusal"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new WatchEdgeResponse instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.WatchEdgeResponse
             * @static
             * @param {wavepose.v1.WatchEdgeResponse.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.WatchEdgeResponse} WatchEdgeResponse instance
             * @type {{
             *   (properties: wavepose.v1.WatchEdgeResponse.$Shape): wavepose.v1.WatchEdgeResponse & wavepose.v1.WatchEdgeResponse.$Shape;
             *   (properties?: wavepose.v1.WatchEdgeResponse.$Properties): wavepose.v1.WatchEdgeResponse;
             * }}
             */
            WatchEdgeResponse.create = function(properties) {
                return new WatchEdgeResponse(properties);
            };

            /**
             * Encodes the specified WatchEdgeResponse message. Does not implicitly {@link wavepose.v1.WatchEdgeResponse.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.WatchEdgeResponse
             * @static
             * @param {wavepose.v1.WatchEdgeResponse.$Properties} message WatchEdgeResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WatchEdgeResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.record != null && $Object.hasOwnProperty.call(message, "record"))
                    $root.wavepose.v1.EdgeRecord.encode(message.record, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.refusal != null && $Object.hasOwnProperty.call(message, "refusal"))
                    $root.wavepose.v1.EdgeRefusal.encode(message.refusal, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WatchEdgeResponse message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.WatchEdgeResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.WatchEdgeResponse & wavepose.v1.WatchEdgeResponse.$Shape} WatchEdgeResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WatchEdgeResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.WatchEdgeResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.record = $root.wavepose.v1.EdgeRecord.decode(reader, reader.size(), $undefined, _depth + 1, message.record);
                            message.update = "record";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.refusal = $root.wavepose.v1.EdgeRefusal.decode(reader, reader.size(), $undefined, _depth + 1, message.refusal);
                            message.update = "refusal";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WatchEdgeResponse;
        })();

        v1.EdgeRefusal = (function() {

            /**
             * Properties of an EdgeRefusal.
             * @typedef {Object} wavepose.v1.EdgeRefusal.$Properties
             * @property {string|null} [nodeId] EdgeRefusal nodeId
             * @property {number|null} [privacyClass] EdgeRefusal privacyClass
             * @property {string|null} [reason] EdgeRefusal reason
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an EdgeRefusal.
             * @memberof wavepose.v1
             * @interface IEdgeRefusal
             * @augments wavepose.v1.EdgeRefusal.$Properties
             * @deprecated Use wavepose.v1.EdgeRefusal.$Properties instead.
             */

            /**
             * Shape of an EdgeRefusal.
             * @typedef {wavepose.v1.EdgeRefusal.$Properties} wavepose.v1.EdgeRefusal.$Shape
             */

            /**
             * Constructs a new EdgeRefusal.
             * @memberof wavepose.v1
             * @classdesc Represents an EdgeRefusal.
             * @constructor
             * @param {wavepose.v1.EdgeRefusal.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const EdgeRefusal = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * EdgeRefusal nodeId.
             * @member {string} nodeId
             * @memberof wavepose.v1.EdgeRefusal
             * @instance
             */
            EdgeRefusal.prototype.nodeId = "";

            /**
             * EdgeRefusal privacyClass.
             * @member {number} privacyClass
             * @memberof wavepose.v1.EdgeRefusal
             * @instance
             */
            EdgeRefusal.prototype.privacyClass = 0;

            /**
             * EdgeRefusal reason.
             * @member {string} reason
             * @memberof wavepose.v1.EdgeRefusal
             * @instance
             */
            EdgeRefusal.prototype.reason = "";

            /**
             * Creates a new EdgeRefusal instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.EdgeRefusal
             * @static
             * @param {wavepose.v1.EdgeRefusal.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.EdgeRefusal} EdgeRefusal instance
             * @type {{
             *   (properties: wavepose.v1.EdgeRefusal.$Shape): wavepose.v1.EdgeRefusal & wavepose.v1.EdgeRefusal.$Shape;
             *   (properties?: wavepose.v1.EdgeRefusal.$Properties): wavepose.v1.EdgeRefusal;
             * }}
             */
            EdgeRefusal.create = function(properties) {
                return new EdgeRefusal(properties);
            };

            /**
             * Encodes the specified EdgeRefusal message. Does not implicitly {@link wavepose.v1.EdgeRefusal.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.EdgeRefusal
             * @static
             * @param {wavepose.v1.EdgeRefusal.$Properties} message EdgeRefusal message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            EdgeRefusal.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.nodeId);
                if (message.privacyClass != null && $Object.hasOwnProperty.call(message, "privacyClass") && message.privacyClass !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.privacyClass);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an EdgeRefusal message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.EdgeRefusal
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgeRefusal & wavepose.v1.EdgeRefusal.$Shape} EdgeRefusal
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            EdgeRefusal.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.EdgeRefusal();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.privacyClass = value;
                            else
                                delete message.privacyClass;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reason = value;
                            else
                                delete message.reason;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return EdgeRefusal;
        })();

        v1.EdgeRecord = (function() {

            /**
             * Properties of an EdgeRecord.
             * @typedef {Object} wavepose.v1.EdgeRecord.$Properties
             * @property {string|null} [nodeId] EdgeRecord nodeId
             * @property {number|null} [privacyClass] EdgeRecord privacyClass
             * @property {number|null} [seenMs] EdgeRecord seenMs
             * @property {wavepose.v1.RegistryEntry.$Properties|null} [entry] EdgeRecord entry
             * @property {wavepose.v1.SensingRecord.$Properties|null} [sensing] EdgeRecord sensing
             * @property {wavepose.v1.SemanticEvents.$Properties|null} [events] EdgeRecord events
             * @property {wavepose.v1.BeamformingScan.$Properties|null} [scan] EdgeRecord scan
             * @property {Array.<string>|null} [redactedFields] EdgeRecord redactedFields
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an EdgeRecord.
             * @memberof wavepose.v1
             * @interface IEdgeRecord
             * @augments wavepose.v1.EdgeRecord.$Properties
             * @deprecated Use wavepose.v1.EdgeRecord.$Properties instead.
             */

            /**
             * Shape of an EdgeRecord.
             * @typedef {wavepose.v1.EdgeRecord.$Properties} wavepose.v1.EdgeRecord.$Shape
             */

            /**
             * Constructs a new EdgeRecord.
             * @memberof wavepose.v1
             * @classdesc Represents an EdgeRecord.
             * @constructor
             * @param {wavepose.v1.EdgeRecord.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const EdgeRecord = function (properties) {
                this.redactedFields = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * EdgeRecord nodeId.
             * @member {string} nodeId
             * @memberof wavepose.v1.EdgeRecord
             * @instance
             */
            EdgeRecord.prototype.nodeId = "";

            /**
             * EdgeRecord privacyClass.
             * @member {number} privacyClass
             * @memberof wavepose.v1.EdgeRecord
             * @instance
             */
            EdgeRecord.prototype.privacyClass = 0;

            /**
             * EdgeRecord seenMs.
             * @member {number} seenMs
             * @memberof wavepose.v1.EdgeRecord
             * @instance
             */
            EdgeRecord.prototype.seenMs = 0;

            /**
             * EdgeRecord entry.
             * @member {wavepose.v1.RegistryEntry.$Properties|null|undefined} entry
             * @memberof wavepose.v1.EdgeRecord
             * @instance
             */
            EdgeRecord.prototype.entry = null;

            /**
             * EdgeRecord sensing.
             * @member {wavepose.v1.SensingRecord.$Properties|null|undefined} sensing
             * @memberof wavepose.v1.EdgeRecord
             * @instance
             */
            EdgeRecord.prototype.sensing = null;

            /**
             * EdgeRecord events.
             * @member {wavepose.v1.SemanticEvents.$Properties|null|undefined} events
             * @memberof wavepose.v1.EdgeRecord
             * @instance
             */
            EdgeRecord.prototype.events = null;

            /**
             * EdgeRecord scan.
             * @member {wavepose.v1.BeamformingScan.$Properties|null|undefined} scan
             * @memberof wavepose.v1.EdgeRecord
             * @instance
             */
            EdgeRecord.prototype.scan = null;

            /**
             * EdgeRecord redactedFields.
             * @member {Array.<string>} redactedFields
             * @memberof wavepose.v1.EdgeRecord
             * @instance
             */
            EdgeRecord.prototype.redactedFields = $util.emptyArray;

            /**
             * Creates a new EdgeRecord instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.EdgeRecord
             * @static
             * @param {wavepose.v1.EdgeRecord.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.EdgeRecord} EdgeRecord instance
             * @type {{
             *   (properties: wavepose.v1.EdgeRecord.$Shape): wavepose.v1.EdgeRecord & wavepose.v1.EdgeRecord.$Shape;
             *   (properties?: wavepose.v1.EdgeRecord.$Properties): wavepose.v1.EdgeRecord;
             * }}
             */
            EdgeRecord.create = function(properties) {
                return new EdgeRecord(properties);
            };

            /**
             * Encodes the specified EdgeRecord message. Does not implicitly {@link wavepose.v1.EdgeRecord.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.EdgeRecord
             * @static
             * @param {wavepose.v1.EdgeRecord.$Properties} message EdgeRecord message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            EdgeRecord.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.nodeId);
                if (message.privacyClass != null && $Object.hasOwnProperty.call(message, "privacyClass") && message.privacyClass !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.privacyClass);
                if (message.seenMs != null && $Object.hasOwnProperty.call(message, "seenMs") && !$Object.is(message.seenMs, 0))
                    writer.uint32(/* id 3, wireType 1 =*/25).double(message.seenMs);
                if (message.entry != null && $Object.hasOwnProperty.call(message, "entry"))
                    $root.wavepose.v1.RegistryEntry.encode(message.entry, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.sensing != null && $Object.hasOwnProperty.call(message, "sensing"))
                    $root.wavepose.v1.SensingRecord.encode(message.sensing, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.events != null && $Object.hasOwnProperty.call(message, "events"))
                    $root.wavepose.v1.SemanticEvents.encode(message.events, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.scan != null && $Object.hasOwnProperty.call(message, "scan"))
                    $root.wavepose.v1.BeamformingScan.encode(message.scan, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.redactedFields != null && message.redactedFields.length)
                    for (let i = 0; i < message.redactedFields.length; ++i)
                        writer.uint32(/* id 8, wireType 2 =*/66).string(message.redactedFields[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an EdgeRecord message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.EdgeRecord
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgeRecord & wavepose.v1.EdgeRecord.$Shape} EdgeRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            EdgeRecord.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.EdgeRecord();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.privacyClass = value;
                            else
                                delete message.privacyClass;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.seenMs = value;
                            else
                                delete message.seenMs;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.entry = $root.wavepose.v1.RegistryEntry.decode(reader, reader.size(), $undefined, _depth + 1, message.entry);
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.sensing = $root.wavepose.v1.SensingRecord.decode(reader, reader.size(), $undefined, _depth + 1, message.sensing);
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.events = $root.wavepose.v1.SemanticEvents.decode(reader, reader.size(), $undefined, _depth + 1, message.events);
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.scan = $root.wavepose.v1.BeamformingScan.decode(reader, reader.size(), $undefined, _depth + 1, message.scan);
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if (!(message.redactedFields && message.redactedFields.length))
                                message.redactedFields = [];
                            message.redactedFields.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return EdgeRecord;
        })();

        v1.RegistryEntry = (function() {

            /**
             * Properties of a RegistryEntry.
             * @typedef {Object} wavepose.v1.RegistryEntry.$Properties
             * @property {string|null} [environmentId] RegistryEntry environmentId
             * @property {string|null} [kind] RegistryEntry kind
             * @property {boolean|null} [online] RegistryEntry online
             * @property {number|null} [lastSeenMs] RegistryEntry lastSeenMs
             * @property {string|null} [firmware] RegistryEntry firmware
             * @property {number|null} [rssiDbm] RegistryEntry rssiDbm
             * @property {number|null} [packetRateHz] RegistryEntry packetRateHz
             * @property {number|null} [packetLoss] RegistryEntry packetLoss
             * @property {string|null} [standing] RegistryEntry standing
             * @property {boolean|null} [signed] RegistryEntry signed
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a RegistryEntry.
             * @memberof wavepose.v1
             * @interface IRegistryEntry
             * @augments wavepose.v1.RegistryEntry.$Properties
             * @deprecated Use wavepose.v1.RegistryEntry.$Properties instead.
             */

            /**
             * Shape of a RegistryEntry.
             * @typedef {wavepose.v1.RegistryEntry.$Properties} wavepose.v1.RegistryEntry.$Shape
             */

            /**
             * Constructs a new RegistryEntry.
             * @memberof wavepose.v1
             * @classdesc Represents a RegistryEntry.
             * @constructor
             * @param {wavepose.v1.RegistryEntry.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const RegistryEntry = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * RegistryEntry environmentId.
             * @member {string|null|undefined} environmentId
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.environmentId = null;

            /**
             * RegistryEntry kind.
             * @member {string|null|undefined} kind
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.kind = null;

            /**
             * RegistryEntry online.
             * @member {boolean} online
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.online = false;

            /**
             * RegistryEntry lastSeenMs.
             * @member {number|null|undefined} lastSeenMs
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.lastSeenMs = null;

            /**
             * RegistryEntry firmware.
             * @member {string|null|undefined} firmware
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.firmware = null;

            /**
             * RegistryEntry rssiDbm.
             * @member {number|null|undefined} rssiDbm
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.rssiDbm = null;

            /**
             * RegistryEntry packetRateHz.
             * @member {number|null|undefined} packetRateHz
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.packetRateHz = null;

            /**
             * RegistryEntry packetLoss.
             * @member {number|null|undefined} packetLoss
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.packetLoss = null;

            /**
             * RegistryEntry standing.
             * @member {string} standing
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.standing = "";

            /**
             * RegistryEntry signed.
             * @member {boolean|null|undefined} signed
             * @memberof wavepose.v1.RegistryEntry
             * @instance
             */
            RegistryEntry.prototype.signed = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RegistryEntry.prototype, "_environmentId", {
                get: $util.oneOfGetter($oneOfFields = ["environmentId"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RegistryEntry.prototype, "_kind", {
                get: $util.oneOfGetter($oneOfFields = ["kind"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RegistryEntry.prototype, "_lastSeenMs", {
                get: $util.oneOfGetter($oneOfFields = ["lastSeenMs"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RegistryEntry.prototype, "_firmware", {
                get: $util.oneOfGetter($oneOfFields = ["firmware"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RegistryEntry.prototype, "_rssiDbm", {
                get: $util.oneOfGetter($oneOfFields = ["rssiDbm"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RegistryEntry.prototype, "_packetRateHz", {
                get: $util.oneOfGetter($oneOfFields = ["packetRateHz"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RegistryEntry.prototype, "_packetLoss", {
                get: $util.oneOfGetter($oneOfFields = ["packetLoss"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(RegistryEntry.prototype, "_signed", {
                get: $util.oneOfGetter($oneOfFields = ["signed"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new RegistryEntry instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.RegistryEntry
             * @static
             * @param {wavepose.v1.RegistryEntry.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.RegistryEntry} RegistryEntry instance
             * @type {{
             *   (properties: wavepose.v1.RegistryEntry.$Shape): wavepose.v1.RegistryEntry & wavepose.v1.RegistryEntry.$Shape;
             *   (properties?: wavepose.v1.RegistryEntry.$Properties): wavepose.v1.RegistryEntry;
             * }}
             */
            RegistryEntry.create = function(properties) {
                return new RegistryEntry(properties);
            };

            /**
             * Encodes the specified RegistryEntry message. Does not implicitly {@link wavepose.v1.RegistryEntry.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.RegistryEntry
             * @static
             * @param {wavepose.v1.RegistryEntry.$Properties} message RegistryEntry message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            RegistryEntry.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.environmentId != null && $Object.hasOwnProperty.call(message, "environmentId"))
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.environmentId);
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind"))
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.kind);
                if (message.online != null && $Object.hasOwnProperty.call(message, "online") && message.online !== false)
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.online);
                if (message.lastSeenMs != null && $Object.hasOwnProperty.call(message, "lastSeenMs"))
                    writer.uint32(/* id 4, wireType 1 =*/33).double(message.lastSeenMs);
                if (message.firmware != null && $Object.hasOwnProperty.call(message, "firmware"))
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.firmware);
                if (message.rssiDbm != null && $Object.hasOwnProperty.call(message, "rssiDbm"))
                    writer.uint32(/* id 6, wireType 1 =*/49).double(message.rssiDbm);
                if (message.packetRateHz != null && $Object.hasOwnProperty.call(message, "packetRateHz"))
                    writer.uint32(/* id 7, wireType 1 =*/57).double(message.packetRateHz);
                if (message.packetLoss != null && $Object.hasOwnProperty.call(message, "packetLoss"))
                    writer.uint32(/* id 8, wireType 1 =*/65).double(message.packetLoss);
                if (message.standing != null && $Object.hasOwnProperty.call(message, "standing") && message.standing !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.standing);
                if (message.signed != null && $Object.hasOwnProperty.call(message, "signed"))
                    writer.uint32(/* id 10, wireType 0 =*/80).bool(message.signed);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a RegistryEntry message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.RegistryEntry
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.RegistryEntry & wavepose.v1.RegistryEntry.$Shape} RegistryEntry
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            RegistryEntry.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.RegistryEntry();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.environmentId = reader.stringVerify();
                            message._environmentId = "environmentId";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.kind = reader.stringVerify();
                            message._kind = "kind";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.online = value;
                            else
                                delete message.online;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 1)
                                break;
                            message.lastSeenMs = reader.double();
                            message._lastSeenMs = "lastSeenMs";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.firmware = reader.stringVerify();
                            message._firmware = "firmware";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 1)
                                break;
                            message.rssiDbm = reader.double();
                            message._rssiDbm = "rssiDbm";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 1)
                                break;
                            message.packetRateHz = reader.double();
                            message._packetRateHz = "packetRateHz";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 1)
                                break;
                            message.packetLoss = reader.double();
                            message._packetLoss = "packetLoss";
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.standing = value;
                            else
                                delete message.standing;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            message.signed = reader.bool();
                            message._signed = "signed";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return RegistryEntry;
        })();

        v1.SensingRecord = (function() {

            /**
             * Properties of a SensingRecord.
             * @typedef {Object} wavepose.v1.SensingRecord.$Properties
             * @property {number|null} [timestampMs] SensingRecord timestampMs
             * @property {wavepose.v1.EdgePresence.$Properties|null} [presence] SensingRecord presence
             * @property {number|null} [nPersons] SensingRecord nPersons
             * @property {string|null} [nPersonsReason] SensingRecord nPersonsReason
             * @property {number|null} [motion] SensingRecord motion
             * @property {wavepose.v1.EdgeVitals.$Properties|null} [vitals] SensingRecord vitals
             * @property {number|null} [anomalyScore] SensingRecord anomalyScore
             * @property {string|null} [anomalyReason] SensingRecord anomalyReason
             * @property {number|null} [envShiftScore] SensingRecord envShiftScore
             * @property {string|null} [envShiftReason] SensingRecord envShiftReason
             * @property {number|null} [nodeCoherence] SensingRecord nodeCoherence
             * @property {string|null} [nodeCoherenceReason] SensingRecord nodeCoherenceReason
             * @property {wavepose.v1.EdgeProvenance.$Properties|null} [provenance] SensingRecord provenance
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SensingRecord.
             * @memberof wavepose.v1
             * @interface ISensingRecord
             * @augments wavepose.v1.SensingRecord.$Properties
             * @deprecated Use wavepose.v1.SensingRecord.$Properties instead.
             */

            /**
             * Shape of a SensingRecord.
             * @typedef {wavepose.v1.SensingRecord.$Properties} wavepose.v1.SensingRecord.$Shape
             */

            /**
             * Constructs a new SensingRecord.
             * @memberof wavepose.v1
             * @classdesc Represents a SensingRecord.
             * @constructor
             * @param {wavepose.v1.SensingRecord.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SensingRecord = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SensingRecord timestampMs.
             * @member {number} timestampMs
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.timestampMs = 0;

            /**
             * SensingRecord presence.
             * @member {wavepose.v1.EdgePresence.$Properties|null|undefined} presence
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.presence = null;

            /**
             * SensingRecord nPersons.
             * @member {number|null|undefined} nPersons
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.nPersons = null;

            /**
             * SensingRecord nPersonsReason.
             * @member {string|null|undefined} nPersonsReason
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.nPersonsReason = null;

            /**
             * SensingRecord motion.
             * @member {number|null|undefined} motion
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.motion = null;

            /**
             * SensingRecord vitals.
             * @member {wavepose.v1.EdgeVitals.$Properties|null|undefined} vitals
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.vitals = null;

            /**
             * SensingRecord anomalyScore.
             * @member {number|null|undefined} anomalyScore
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.anomalyScore = null;

            /**
             * SensingRecord anomalyReason.
             * @member {string|null|undefined} anomalyReason
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.anomalyReason = null;

            /**
             * SensingRecord envShiftScore.
             * @member {number|null|undefined} envShiftScore
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.envShiftScore = null;

            /**
             * SensingRecord envShiftReason.
             * @member {string|null|undefined} envShiftReason
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.envShiftReason = null;

            /**
             * SensingRecord nodeCoherence.
             * @member {number|null|undefined} nodeCoherence
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.nodeCoherence = null;

            /**
             * SensingRecord nodeCoherenceReason.
             * @member {string|null|undefined} nodeCoherenceReason
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.nodeCoherenceReason = null;

            /**
             * SensingRecord provenance.
             * @member {wavepose.v1.EdgeProvenance.$Properties|null|undefined} provenance
             * @memberof wavepose.v1.SensingRecord
             * @instance
             */
            SensingRecord.prototype.provenance = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_nPersons", {
                get: $util.oneOfGetter($oneOfFields = ["nPersons"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_nPersonsReason", {
                get: $util.oneOfGetter($oneOfFields = ["nPersonsReason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_motion", {
                get: $util.oneOfGetter($oneOfFields = ["motion"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_anomalyScore", {
                get: $util.oneOfGetter($oneOfFields = ["anomalyScore"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_anomalyReason", {
                get: $util.oneOfGetter($oneOfFields = ["anomalyReason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_envShiftScore", {
                get: $util.oneOfGetter($oneOfFields = ["envShiftScore"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_envShiftReason", {
                get: $util.oneOfGetter($oneOfFields = ["envShiftReason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_nodeCoherence", {
                get: $util.oneOfGetter($oneOfFields = ["nodeCoherence"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SensingRecord.prototype, "_nodeCoherenceReason", {
                get: $util.oneOfGetter($oneOfFields = ["nodeCoherenceReason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new SensingRecord instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.SensingRecord
             * @static
             * @param {wavepose.v1.SensingRecord.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.SensingRecord} SensingRecord instance
             * @type {{
             *   (properties: wavepose.v1.SensingRecord.$Shape): wavepose.v1.SensingRecord & wavepose.v1.SensingRecord.$Shape;
             *   (properties?: wavepose.v1.SensingRecord.$Properties): wavepose.v1.SensingRecord;
             * }}
             */
            SensingRecord.create = function(properties) {
                return new SensingRecord(properties);
            };

            /**
             * Encodes the specified SensingRecord message. Does not implicitly {@link wavepose.v1.SensingRecord.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.SensingRecord
             * @static
             * @param {wavepose.v1.SensingRecord.$Properties} message SensingRecord message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SensingRecord.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs") && !$Object.is(message.timestampMs, 0))
                    writer.uint32(/* id 1, wireType 1 =*/9).double(message.timestampMs);
                if (message.presence != null && $Object.hasOwnProperty.call(message, "presence"))
                    $root.wavepose.v1.EdgePresence.encode(message.presence, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.nPersons != null && $Object.hasOwnProperty.call(message, "nPersons"))
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.nPersons);
                if (message.nPersonsReason != null && $Object.hasOwnProperty.call(message, "nPersonsReason"))
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.nPersonsReason);
                if (message.motion != null && $Object.hasOwnProperty.call(message, "motion"))
                    writer.uint32(/* id 5, wireType 1 =*/41).double(message.motion);
                if (message.vitals != null && $Object.hasOwnProperty.call(message, "vitals"))
                    $root.wavepose.v1.EdgeVitals.encode(message.vitals, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.anomalyScore != null && $Object.hasOwnProperty.call(message, "anomalyScore"))
                    writer.uint32(/* id 7, wireType 1 =*/57).double(message.anomalyScore);
                if (message.anomalyReason != null && $Object.hasOwnProperty.call(message, "anomalyReason"))
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.anomalyReason);
                if (message.envShiftScore != null && $Object.hasOwnProperty.call(message, "envShiftScore"))
                    writer.uint32(/* id 9, wireType 1 =*/73).double(message.envShiftScore);
                if (message.envShiftReason != null && $Object.hasOwnProperty.call(message, "envShiftReason"))
                    writer.uint32(/* id 10, wireType 2 =*/82).string(message.envShiftReason);
                if (message.nodeCoherence != null && $Object.hasOwnProperty.call(message, "nodeCoherence"))
                    writer.uint32(/* id 11, wireType 1 =*/89).double(message.nodeCoherence);
                if (message.nodeCoherenceReason != null && $Object.hasOwnProperty.call(message, "nodeCoherenceReason"))
                    writer.uint32(/* id 12, wireType 2 =*/98).string(message.nodeCoherenceReason);
                if (message.provenance != null && $Object.hasOwnProperty.call(message, "provenance"))
                    $root.wavepose.v1.EdgeProvenance.encode(message.provenance, writer.uint32(/* id 13, wireType 2 =*/106).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SensingRecord message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.SensingRecord
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.SensingRecord & wavepose.v1.SensingRecord.$Shape} SensingRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SensingRecord.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.SensingRecord();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.timestampMs = value;
                            else
                                delete message.timestampMs;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.presence = $root.wavepose.v1.EdgePresence.decode(reader, reader.size(), $undefined, _depth + 1, message.presence);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.nPersons = reader.uint32();
                            message._nPersons = "nPersons";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.nPersonsReason = reader.stringVerify();
                            message._nPersonsReason = "nPersonsReason";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 1)
                                break;
                            message.motion = reader.double();
                            message._motion = "motion";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.vitals = $root.wavepose.v1.EdgeVitals.decode(reader, reader.size(), $undefined, _depth + 1, message.vitals);
                            continue;
                        }
                    case 7: {
                            if (wireType !== 1)
                                break;
                            message.anomalyScore = reader.double();
                            message._anomalyScore = "anomalyScore";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.anomalyReason = reader.stringVerify();
                            message._anomalyReason = "anomalyReason";
                            continue;
                        }
                    case 9: {
                            if (wireType !== 1)
                                break;
                            message.envShiftScore = reader.double();
                            message._envShiftScore = "envShiftScore";
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            message.envShiftReason = reader.stringVerify();
                            message._envShiftReason = "envShiftReason";
                            continue;
                        }
                    case 11: {
                            if (wireType !== 1)
                                break;
                            message.nodeCoherence = reader.double();
                            message._nodeCoherence = "nodeCoherence";
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            message.nodeCoherenceReason = reader.stringVerify();
                            message._nodeCoherenceReason = "nodeCoherenceReason";
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            message.provenance = $root.wavepose.v1.EdgeProvenance.decode(reader, reader.size(), $undefined, _depth + 1, message.provenance);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SensingRecord;
        })();

        v1.SemanticEvent = (function() {

            /**
             * Properties of a SemanticEvent.
             * @typedef {Object} wavepose.v1.SemanticEvent.$Properties
             * @property {boolean|null} [active] SemanticEvent active
             * @property {number|null} [sinceMs] SemanticEvent sinceMs
             * @property {string|null} [reason] SemanticEvent reason
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SemanticEvent.
             * @memberof wavepose.v1
             * @interface ISemanticEvent
             * @augments wavepose.v1.SemanticEvent.$Properties
             * @deprecated Use wavepose.v1.SemanticEvent.$Properties instead.
             */

            /**
             * Shape of a SemanticEvent.
             * @typedef {wavepose.v1.SemanticEvent.$Properties} wavepose.v1.SemanticEvent.$Shape
             */

            /**
             * Constructs a new SemanticEvent.
             * @memberof wavepose.v1
             * @classdesc Represents a SemanticEvent.
             * @constructor
             * @param {wavepose.v1.SemanticEvent.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SemanticEvent = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SemanticEvent active.
             * @member {boolean} active
             * @memberof wavepose.v1.SemanticEvent
             * @instance
             */
            SemanticEvent.prototype.active = false;

            /**
             * SemanticEvent sinceMs.
             * @member {number|null|undefined} sinceMs
             * @memberof wavepose.v1.SemanticEvent
             * @instance
             */
            SemanticEvent.prototype.sinceMs = null;

            /**
             * SemanticEvent reason.
             * @member {string|null|undefined} reason
             * @memberof wavepose.v1.SemanticEvent
             * @instance
             */
            SemanticEvent.prototype.reason = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SemanticEvent.prototype, "_sinceMs", {
                get: $util.oneOfGetter($oneOfFields = ["sinceMs"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SemanticEvent.prototype, "_reason", {
                get: $util.oneOfGetter($oneOfFields = ["reason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new SemanticEvent instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.SemanticEvent
             * @static
             * @param {wavepose.v1.SemanticEvent.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.SemanticEvent} SemanticEvent instance
             * @type {{
             *   (properties: wavepose.v1.SemanticEvent.$Shape): wavepose.v1.SemanticEvent & wavepose.v1.SemanticEvent.$Shape;
             *   (properties?: wavepose.v1.SemanticEvent.$Properties): wavepose.v1.SemanticEvent;
             * }}
             */
            SemanticEvent.create = function(properties) {
                return new SemanticEvent(properties);
            };

            /**
             * Encodes the specified SemanticEvent message. Does not implicitly {@link wavepose.v1.SemanticEvent.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.SemanticEvent
             * @static
             * @param {wavepose.v1.SemanticEvent.$Properties} message SemanticEvent message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SemanticEvent.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.active != null && $Object.hasOwnProperty.call(message, "active") && message.active !== false)
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.active);
                if (message.sinceMs != null && $Object.hasOwnProperty.call(message, "sinceMs"))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.sinceMs);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason"))
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SemanticEvent message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.SemanticEvent
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.SemanticEvent & wavepose.v1.SemanticEvent.$Shape} SemanticEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SemanticEvent.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.SemanticEvent();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.active = value;
                            else
                                delete message.active;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            message.sinceMs = reader.double();
                            message._sinceMs = "sinceMs";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.reason = reader.stringVerify();
                            message._reason = "reason";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SemanticEvent;
        })();

        v1.SemanticEvents = (function() {

            /**
             * Properties of a SemanticEvents.
             * @typedef {Object} wavepose.v1.SemanticEvents.$Properties
             * @property {number|null} [timestampMs] SemanticEvents timestampMs
             * @property {wavepose.v1.SemanticEvent.$Properties|null} [unknownPresence] SemanticEvents unknownPresence
             * @property {string|null} [unknownPresenceSource] SemanticEvents unknownPresenceSource
             * @property {wavepose.v1.SemanticEvent.$Properties|null} [unexpectedOccupancy] SemanticEvents unexpectedOccupancy
             * @property {wavepose.v1.SemanticEvent.$Properties|null} [unrecognizedActivityPattern] SemanticEvents unrecognizedActivityPattern
             * @property {number|null} [anomalyThreshold] SemanticEvents anomalyThreshold
             * @property {number|null} [anomalyScore] SemanticEvents anomalyScore
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SemanticEvents.
             * @memberof wavepose.v1
             * @interface ISemanticEvents
             * @augments wavepose.v1.SemanticEvents.$Properties
             * @deprecated Use wavepose.v1.SemanticEvents.$Properties instead.
             */

            /**
             * Shape of a SemanticEvents.
             * @typedef {wavepose.v1.SemanticEvents.$Properties} wavepose.v1.SemanticEvents.$Shape
             */

            /**
             * Constructs a new SemanticEvents.
             * @memberof wavepose.v1
             * @classdesc Represents a SemanticEvents.
             * @constructor
             * @param {wavepose.v1.SemanticEvents.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SemanticEvents = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SemanticEvents timestampMs.
             * @member {number} timestampMs
             * @memberof wavepose.v1.SemanticEvents
             * @instance
             */
            SemanticEvents.prototype.timestampMs = 0;

            /**
             * SemanticEvents unknownPresence.
             * @member {wavepose.v1.SemanticEvent.$Properties|null|undefined} unknownPresence
             * @memberof wavepose.v1.SemanticEvents
             * @instance
             */
            SemanticEvents.prototype.unknownPresence = null;

            /**
             * SemanticEvents unknownPresenceSource.
             * @member {string} unknownPresenceSource
             * @memberof wavepose.v1.SemanticEvents
             * @instance
             */
            SemanticEvents.prototype.unknownPresenceSource = "";

            /**
             * SemanticEvents unexpectedOccupancy.
             * @member {wavepose.v1.SemanticEvent.$Properties|null|undefined} unexpectedOccupancy
             * @memberof wavepose.v1.SemanticEvents
             * @instance
             */
            SemanticEvents.prototype.unexpectedOccupancy = null;

            /**
             * SemanticEvents unrecognizedActivityPattern.
             * @member {wavepose.v1.SemanticEvent.$Properties|null|undefined} unrecognizedActivityPattern
             * @memberof wavepose.v1.SemanticEvents
             * @instance
             */
            SemanticEvents.prototype.unrecognizedActivityPattern = null;

            /**
             * SemanticEvents anomalyThreshold.
             * @member {number} anomalyThreshold
             * @memberof wavepose.v1.SemanticEvents
             * @instance
             */
            SemanticEvents.prototype.anomalyThreshold = 0;

            /**
             * SemanticEvents anomalyScore.
             * @member {number|null|undefined} anomalyScore
             * @memberof wavepose.v1.SemanticEvents
             * @instance
             */
            SemanticEvents.prototype.anomalyScore = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(SemanticEvents.prototype, "_anomalyScore", {
                get: $util.oneOfGetter($oneOfFields = ["anomalyScore"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new SemanticEvents instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.SemanticEvents
             * @static
             * @param {wavepose.v1.SemanticEvents.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.SemanticEvents} SemanticEvents instance
             * @type {{
             *   (properties: wavepose.v1.SemanticEvents.$Shape): wavepose.v1.SemanticEvents & wavepose.v1.SemanticEvents.$Shape;
             *   (properties?: wavepose.v1.SemanticEvents.$Properties): wavepose.v1.SemanticEvents;
             * }}
             */
            SemanticEvents.create = function(properties) {
                return new SemanticEvents(properties);
            };

            /**
             * Encodes the specified SemanticEvents message. Does not implicitly {@link wavepose.v1.SemanticEvents.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.SemanticEvents
             * @static
             * @param {wavepose.v1.SemanticEvents.$Properties} message SemanticEvents message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SemanticEvents.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs") && !$Object.is(message.timestampMs, 0))
                    writer.uint32(/* id 1, wireType 1 =*/9).double(message.timestampMs);
                if (message.unknownPresence != null && $Object.hasOwnProperty.call(message, "unknownPresence"))
                    $root.wavepose.v1.SemanticEvent.encode(message.unknownPresence, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.unknownPresenceSource != null && $Object.hasOwnProperty.call(message, "unknownPresenceSource") && message.unknownPresenceSource !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.unknownPresenceSource);
                if (message.unexpectedOccupancy != null && $Object.hasOwnProperty.call(message, "unexpectedOccupancy"))
                    $root.wavepose.v1.SemanticEvent.encode(message.unexpectedOccupancy, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.unrecognizedActivityPattern != null && $Object.hasOwnProperty.call(message, "unrecognizedActivityPattern"))
                    $root.wavepose.v1.SemanticEvent.encode(message.unrecognizedActivityPattern, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.anomalyThreshold != null && $Object.hasOwnProperty.call(message, "anomalyThreshold") && !$Object.is(message.anomalyThreshold, 0))
                    writer.uint32(/* id 6, wireType 1 =*/49).double(message.anomalyThreshold);
                if (message.anomalyScore != null && $Object.hasOwnProperty.call(message, "anomalyScore"))
                    writer.uint32(/* id 7, wireType 1 =*/57).double(message.anomalyScore);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SemanticEvents message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.SemanticEvents
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.SemanticEvents & wavepose.v1.SemanticEvents.$Shape} SemanticEvents
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SemanticEvents.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.SemanticEvents();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.timestampMs = value;
                            else
                                delete message.timestampMs;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.unknownPresence = $root.wavepose.v1.SemanticEvent.decode(reader, reader.size(), $undefined, _depth + 1, message.unknownPresence);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.unknownPresenceSource = value;
                            else
                                delete message.unknownPresenceSource;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.unexpectedOccupancy = $root.wavepose.v1.SemanticEvent.decode(reader, reader.size(), $undefined, _depth + 1, message.unexpectedOccupancy);
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.unrecognizedActivityPattern = $root.wavepose.v1.SemanticEvent.decode(reader, reader.size(), $undefined, _depth + 1, message.unrecognizedActivityPattern);
                            continue;
                        }
                    case 6: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.anomalyThreshold = value;
                            else
                                delete message.anomalyThreshold;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 1)
                                break;
                            message.anomalyScore = reader.double();
                            message._anomalyScore = "anomalyScore";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SemanticEvents;
        })();

        v1.BeamformingScan = (function() {

            /**
             * Properties of a BeamformingScan.
             * @typedef {Object} wavepose.v1.BeamformingScan.$Properties
             * @property {number|null} [seconds] BeamformingScan seconds
             * @property {number|null} [nanos] BeamformingScan nanos
             * @property {wavepose.v1.EdgePresence.$Properties|null} [presence] BeamformingScan presence
             * @property {number|null} [personCount] BeamformingScan personCount
             * @property {string|null} [personCountReason] BeamformingScan personCountReason
             * @property {number|null} [stations] BeamformingScan stations
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a BeamformingScan.
             * @memberof wavepose.v1
             * @interface IBeamformingScan
             * @augments wavepose.v1.BeamformingScan.$Properties
             * @deprecated Use wavepose.v1.BeamformingScan.$Properties instead.
             */

            /**
             * Shape of a BeamformingScan.
             * @typedef {wavepose.v1.BeamformingScan.$Properties} wavepose.v1.BeamformingScan.$Shape
             */

            /**
             * Constructs a new BeamformingScan.
             * @memberof wavepose.v1
             * @classdesc Represents a BeamformingScan.
             * @constructor
             * @param {wavepose.v1.BeamformingScan.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const BeamformingScan = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * BeamformingScan seconds.
             * @member {number} seconds
             * @memberof wavepose.v1.BeamformingScan
             * @instance
             */
            BeamformingScan.prototype.seconds = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * BeamformingScan nanos.
             * @member {number} nanos
             * @memberof wavepose.v1.BeamformingScan
             * @instance
             */
            BeamformingScan.prototype.nanos = 0;

            /**
             * BeamformingScan presence.
             * @member {wavepose.v1.EdgePresence.$Properties|null|undefined} presence
             * @memberof wavepose.v1.BeamformingScan
             * @instance
             */
            BeamformingScan.prototype.presence = null;

            /**
             * BeamformingScan personCount.
             * @member {number|null|undefined} personCount
             * @memberof wavepose.v1.BeamformingScan
             * @instance
             */
            BeamformingScan.prototype.personCount = null;

            /**
             * BeamformingScan personCountReason.
             * @member {string|null|undefined} personCountReason
             * @memberof wavepose.v1.BeamformingScan
             * @instance
             */
            BeamformingScan.prototype.personCountReason = null;

            /**
             * BeamformingScan stations.
             * @member {number} stations
             * @memberof wavepose.v1.BeamformingScan
             * @instance
             */
            BeamformingScan.prototype.stations = 0;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(BeamformingScan.prototype, "_personCount", {
                get: $util.oneOfGetter($oneOfFields = ["personCount"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(BeamformingScan.prototype, "_personCountReason", {
                get: $util.oneOfGetter($oneOfFields = ["personCountReason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new BeamformingScan instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.BeamformingScan
             * @static
             * @param {wavepose.v1.BeamformingScan.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.BeamformingScan} BeamformingScan instance
             * @type {{
             *   (properties: wavepose.v1.BeamformingScan.$Shape): wavepose.v1.BeamformingScan & wavepose.v1.BeamformingScan.$Shape;
             *   (properties?: wavepose.v1.BeamformingScan.$Properties): wavepose.v1.BeamformingScan;
             * }}
             */
            BeamformingScan.create = function(properties) {
                return new BeamformingScan(properties);
            };

            /**
             * Encodes the specified BeamformingScan message. Does not implicitly {@link wavepose.v1.BeamformingScan.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.BeamformingScan
             * @static
             * @param {wavepose.v1.BeamformingScan.$Properties} message BeamformingScan message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            BeamformingScan.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.seconds != null && $Object.hasOwnProperty.call(message, "seconds") && (typeof message.seconds === "object" ? message.seconds.low || message.seconds.high : message.seconds !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.seconds);
                if (message.nanos != null && $Object.hasOwnProperty.call(message, "nanos") && message.nanos !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.nanos);
                if (message.presence != null && $Object.hasOwnProperty.call(message, "presence"))
                    $root.wavepose.v1.EdgePresence.encode(message.presence, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.personCount != null && $Object.hasOwnProperty.call(message, "personCount"))
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.personCount);
                if (message.personCountReason != null && $Object.hasOwnProperty.call(message, "personCountReason"))
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.personCountReason);
                if (message.stations != null && $Object.hasOwnProperty.call(message, "stations") && message.stations !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.stations);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a BeamformingScan message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.BeamformingScan
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.BeamformingScan & wavepose.v1.BeamformingScan.$Shape} BeamformingScan
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            BeamformingScan.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.BeamformingScan();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.seconds = value;
                            else
                                delete message.seconds;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.nanos = value;
                            else
                                delete message.nanos;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.presence = $root.wavepose.v1.EdgePresence.decode(reader, reader.size(), $undefined, _depth + 1, message.presence);
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            message.personCount = reader.uint32();
                            message._personCount = "personCount";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.personCountReason = reader.stringVerify();
                            message._personCountReason = "personCountReason";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.stations = value;
                            else
                                delete message.stations;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return BeamformingScan;
        })();

        v1.EdgePresence = (function() {

            /**
             * Properties of an EdgePresence.
             * @typedef {Object} wavepose.v1.EdgePresence.$Properties
             * @property {boolean|null} [present] EdgePresence present
             * @property {number|null} [confidence] EdgePresence confidence
             * @property {string|null} [reason] EdgePresence reason
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an EdgePresence.
             * @memberof wavepose.v1
             * @interface IEdgePresence
             * @augments wavepose.v1.EdgePresence.$Properties
             * @deprecated Use wavepose.v1.EdgePresence.$Properties instead.
             */

            /**
             * Shape of an EdgePresence.
             * @typedef {wavepose.v1.EdgePresence.$Properties} wavepose.v1.EdgePresence.$Shape
             */

            /**
             * Constructs a new EdgePresence.
             * @memberof wavepose.v1
             * @classdesc Represents an EdgePresence.
             * @constructor
             * @param {wavepose.v1.EdgePresence.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const EdgePresence = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * EdgePresence present.
             * @member {boolean|null|undefined} present
             * @memberof wavepose.v1.EdgePresence
             * @instance
             */
            EdgePresence.prototype.present = null;

            /**
             * EdgePresence confidence.
             * @member {number} confidence
             * @memberof wavepose.v1.EdgePresence
             * @instance
             */
            EdgePresence.prototype.confidence = 0;

            /**
             * EdgePresence reason.
             * @member {string|null|undefined} reason
             * @memberof wavepose.v1.EdgePresence
             * @instance
             */
            EdgePresence.prototype.reason = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(EdgePresence.prototype, "_present", {
                get: $util.oneOfGetter($oneOfFields = ["present"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(EdgePresence.prototype, "_reason", {
                get: $util.oneOfGetter($oneOfFields = ["reason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new EdgePresence instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.EdgePresence
             * @static
             * @param {wavepose.v1.EdgePresence.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.EdgePresence} EdgePresence instance
             * @type {{
             *   (properties: wavepose.v1.EdgePresence.$Shape): wavepose.v1.EdgePresence & wavepose.v1.EdgePresence.$Shape;
             *   (properties?: wavepose.v1.EdgePresence.$Properties): wavepose.v1.EdgePresence;
             * }}
             */
            EdgePresence.create = function(properties) {
                return new EdgePresence(properties);
            };

            /**
             * Encodes the specified EdgePresence message. Does not implicitly {@link wavepose.v1.EdgePresence.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.EdgePresence
             * @static
             * @param {wavepose.v1.EdgePresence.$Properties} message EdgePresence message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            EdgePresence.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.present != null && $Object.hasOwnProperty.call(message, "present"))
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.present);
                if (message.confidence != null && $Object.hasOwnProperty.call(message, "confidence") && !$Object.is(message.confidence, 0))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.confidence);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason"))
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an EdgePresence message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.EdgePresence
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgePresence & wavepose.v1.EdgePresence.$Shape} EdgePresence
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            EdgePresence.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.EdgePresence();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.present = reader.bool();
                            message._present = "present";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.confidence = value;
                            else
                                delete message.confidence;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.reason = reader.stringVerify();
                            message._reason = "reason";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return EdgePresence;
        })();

        v1.EdgeVitals = (function() {

            /**
             * Properties of an EdgeVitals.
             * @typedef {Object} wavepose.v1.EdgeVitals.$Properties
             * @property {number|null} [breathingRateBpm] EdgeVitals breathingRateBpm
             * @property {number|null} [breathingConfidence] EdgeVitals breathingConfidence
             * @property {string|null} [breathingReason] EdgeVitals breathingReason
             * @property {number|null} [heartRateBpm] EdgeVitals heartRateBpm
             * @property {string|null} [heartReason] EdgeVitals heartReason
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an EdgeVitals.
             * @memberof wavepose.v1
             * @interface IEdgeVitals
             * @augments wavepose.v1.EdgeVitals.$Properties
             * @deprecated Use wavepose.v1.EdgeVitals.$Properties instead.
             */

            /**
             * Shape of an EdgeVitals.
             * @typedef {wavepose.v1.EdgeVitals.$Properties} wavepose.v1.EdgeVitals.$Shape
             */

            /**
             * Constructs a new EdgeVitals.
             * @memberof wavepose.v1
             * @classdesc Represents an EdgeVitals.
             * @constructor
             * @param {wavepose.v1.EdgeVitals.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const EdgeVitals = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * EdgeVitals breathingRateBpm.
             * @member {number|null|undefined} breathingRateBpm
             * @memberof wavepose.v1.EdgeVitals
             * @instance
             */
            EdgeVitals.prototype.breathingRateBpm = null;

            /**
             * EdgeVitals breathingConfidence.
             * @member {number} breathingConfidence
             * @memberof wavepose.v1.EdgeVitals
             * @instance
             */
            EdgeVitals.prototype.breathingConfidence = 0;

            /**
             * EdgeVitals breathingReason.
             * @member {string|null|undefined} breathingReason
             * @memberof wavepose.v1.EdgeVitals
             * @instance
             */
            EdgeVitals.prototype.breathingReason = null;

            /**
             * EdgeVitals heartRateBpm.
             * @member {number|null|undefined} heartRateBpm
             * @memberof wavepose.v1.EdgeVitals
             * @instance
             */
            EdgeVitals.prototype.heartRateBpm = null;

            /**
             * EdgeVitals heartReason.
             * @member {string|null|undefined} heartReason
             * @memberof wavepose.v1.EdgeVitals
             * @instance
             */
            EdgeVitals.prototype.heartReason = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(EdgeVitals.prototype, "_breathingRateBpm", {
                get: $util.oneOfGetter($oneOfFields = ["breathingRateBpm"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(EdgeVitals.prototype, "_breathingReason", {
                get: $util.oneOfGetter($oneOfFields = ["breathingReason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(EdgeVitals.prototype, "_heartRateBpm", {
                get: $util.oneOfGetter($oneOfFields = ["heartRateBpm"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(EdgeVitals.prototype, "_heartReason", {
                get: $util.oneOfGetter($oneOfFields = ["heartReason"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new EdgeVitals instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.EdgeVitals
             * @static
             * @param {wavepose.v1.EdgeVitals.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.EdgeVitals} EdgeVitals instance
             * @type {{
             *   (properties: wavepose.v1.EdgeVitals.$Shape): wavepose.v1.EdgeVitals & wavepose.v1.EdgeVitals.$Shape;
             *   (properties?: wavepose.v1.EdgeVitals.$Properties): wavepose.v1.EdgeVitals;
             * }}
             */
            EdgeVitals.create = function(properties) {
                return new EdgeVitals(properties);
            };

            /**
             * Encodes the specified EdgeVitals message. Does not implicitly {@link wavepose.v1.EdgeVitals.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.EdgeVitals
             * @static
             * @param {wavepose.v1.EdgeVitals.$Properties} message EdgeVitals message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            EdgeVitals.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.breathingRateBpm != null && $Object.hasOwnProperty.call(message, "breathingRateBpm"))
                    writer.uint32(/* id 1, wireType 1 =*/9).double(message.breathingRateBpm);
                if (message.breathingConfidence != null && $Object.hasOwnProperty.call(message, "breathingConfidence") && !$Object.is(message.breathingConfidence, 0))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.breathingConfidence);
                if (message.breathingReason != null && $Object.hasOwnProperty.call(message, "breathingReason"))
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.breathingReason);
                if (message.heartRateBpm != null && $Object.hasOwnProperty.call(message, "heartRateBpm"))
                    writer.uint32(/* id 4, wireType 1 =*/33).double(message.heartRateBpm);
                if (message.heartReason != null && $Object.hasOwnProperty.call(message, "heartReason"))
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.heartReason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an EdgeVitals message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.EdgeVitals
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgeVitals & wavepose.v1.EdgeVitals.$Shape} EdgeVitals
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            EdgeVitals.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.EdgeVitals();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 1)
                                break;
                            message.breathingRateBpm = reader.double();
                            message._breathingRateBpm = "breathingRateBpm";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.breathingConfidence = value;
                            else
                                delete message.breathingConfidence;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.breathingReason = reader.stringVerify();
                            message._breathingReason = "breathingReason";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 1)
                                break;
                            message.heartRateBpm = reader.double();
                            message._heartRateBpm = "heartRateBpm";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.heartReason = reader.stringVerify();
                            message._heartReason = "heartReason";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return EdgeVitals;
        })();

        v1.EdgeProvenance = (function() {

            /**
             * Properties of an EdgeProvenance.
             * @typedef {Object} wavepose.v1.EdgeProvenance.$Properties
             * @property {wavepose.v1.Source|null} [source] EdgeProvenance source
             * @property {boolean|null} [calibrated] EdgeProvenance calibrated
             * @property {string|null} [modelVersion] EdgeProvenance modelVersion
             * @property {number|null} [linksUsed] EdgeProvenance linksUsed
             * @property {number|null} [clockOffsetMs] EdgeProvenance clockOffsetMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an EdgeProvenance.
             * @memberof wavepose.v1
             * @interface IEdgeProvenance
             * @augments wavepose.v1.EdgeProvenance.$Properties
             * @deprecated Use wavepose.v1.EdgeProvenance.$Properties instead.
             */

            /**
             * Shape of an EdgeProvenance.
             * @typedef {wavepose.v1.EdgeProvenance.$Properties} wavepose.v1.EdgeProvenance.$Shape
             */

            /**
             * Constructs a new EdgeProvenance.
             * @memberof wavepose.v1
             * @classdesc Represents an EdgeProvenance.
             * @constructor
             * @param {wavepose.v1.EdgeProvenance.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const EdgeProvenance = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * EdgeProvenance source.
             * @member {wavepose.v1.Source} source
             * @memberof wavepose.v1.EdgeProvenance
             * @instance
             */
            EdgeProvenance.prototype.source = 0;

            /**
             * EdgeProvenance calibrated.
             * @member {boolean} calibrated
             * @memberof wavepose.v1.EdgeProvenance
             * @instance
             */
            EdgeProvenance.prototype.calibrated = false;

            /**
             * EdgeProvenance modelVersion.
             * @member {string} modelVersion
             * @memberof wavepose.v1.EdgeProvenance
             * @instance
             */
            EdgeProvenance.prototype.modelVersion = "";

            /**
             * EdgeProvenance linksUsed.
             * @member {number} linksUsed
             * @memberof wavepose.v1.EdgeProvenance
             * @instance
             */
            EdgeProvenance.prototype.linksUsed = 0;

            /**
             * EdgeProvenance clockOffsetMs.
             * @member {number|null|undefined} clockOffsetMs
             * @memberof wavepose.v1.EdgeProvenance
             * @instance
             */
            EdgeProvenance.prototype.clockOffsetMs = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(EdgeProvenance.prototype, "_clockOffsetMs", {
                get: $util.oneOfGetter($oneOfFields = ["clockOffsetMs"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new EdgeProvenance instance using the specified properties.
             * @function create
             * @memberof wavepose.v1.EdgeProvenance
             * @static
             * @param {wavepose.v1.EdgeProvenance.$Properties=} [properties] Properties to set
             * @returns {wavepose.v1.EdgeProvenance} EdgeProvenance instance
             * @type {{
             *   (properties: wavepose.v1.EdgeProvenance.$Shape): wavepose.v1.EdgeProvenance & wavepose.v1.EdgeProvenance.$Shape;
             *   (properties?: wavepose.v1.EdgeProvenance.$Properties): wavepose.v1.EdgeProvenance;
             * }}
             */
            EdgeProvenance.create = function(properties) {
                return new EdgeProvenance(properties);
            };

            /**
             * Encodes the specified EdgeProvenance message. Does not implicitly {@link wavepose.v1.EdgeProvenance.verify|verify} messages.
             * @function encode
             * @memberof wavepose.v1.EdgeProvenance
             * @static
             * @param {wavepose.v1.EdgeProvenance.$Properties} message EdgeProvenance message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            EdgeProvenance.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.source != null && $Object.hasOwnProperty.call(message, "source") && message.source !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.source);
                if (message.calibrated != null && $Object.hasOwnProperty.call(message, "calibrated") && message.calibrated !== false)
                    writer.uint32(/* id 2, wireType 0 =*/16).bool(message.calibrated);
                if (message.modelVersion != null && $Object.hasOwnProperty.call(message, "modelVersion") && message.modelVersion !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.modelVersion);
                if (message.linksUsed != null && $Object.hasOwnProperty.call(message, "linksUsed") && message.linksUsed !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.linksUsed);
                if (message.clockOffsetMs != null && $Object.hasOwnProperty.call(message, "clockOffsetMs"))
                    writer.uint32(/* id 5, wireType 1 =*/41).double(message.clockOffsetMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an EdgeProvenance message from the specified reader or buffer.
             * @function decode
             * @memberof wavepose.v1.EdgeProvenance
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgeProvenance & wavepose.v1.EdgeProvenance.$Shape} EdgeProvenance
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            EdgeProvenance.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.wavepose.v1.EdgeProvenance();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.source = value;
                            else
                                delete message.source;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.calibrated = value;
                            else
                                delete message.calibrated;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.modelVersion = value;
                            else
                                delete message.modelVersion;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.linksUsed = value;
                            else
                                delete message.linksUsed;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 1)
                                break;
                            message.clockOffsetMs = reader.double();
                            message._clockOffsetMs = "clockOffsetMs";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return EdgeProvenance;
        })();

        return v1;
    })();

    wavepose.internal = (function() {

        /**
         * Namespace internal.
         * @memberof wavepose
         * @namespace
         */
        const internal = {};

        internal.v1 = (function() {

            /**
             * Namespace v1.
             * @memberof wavepose.internal
             * @namespace
             */
            const v1 = {};

            v1.LinkObservation = (function() {

                /**
                 * Properties of a LinkObservation.
                 * @typedef {Object} wavepose.internal.v1.LinkObservation.$Properties
                 * @property {string|null} [transmitterId] LinkObservation transmitterId
                 * @property {number|null} [packets] LinkObservation packets
                 * @property {number|null} [outliers] LinkObservation outliers
                 * @property {number|null} [rssiDbm] LinkObservation rssiDbm
                 * @property {number|null} [motionStatistic] LinkObservation motionStatistic
                 * @property {number|null} [motionStatisticSigma] LinkObservation motionStatisticSigma
                 * @property {number|null} [dynamicPower] LinkObservation dynamicPower
                 * @property {Uint8Array|null} [dynamic] LinkObservation dynamic
                 * @property {number|null} [occupancy] LinkObservation occupancy
                 * @property {number|null} [slowStatistic] LinkObservation slowStatistic
                 * @property {number|null} [slowStatisticSigma] LinkObservation slowStatisticSigma
                 * @property {boolean|null} [windowWhole] LinkObservation windowWhole
                 * @property {wavepose.internal.v1.Vitals.$Properties|null} [vitals] LinkObservation vitals
                 * @property {Uint8Array|null} [dynamicTimesS] LinkObservation dynamicTimesS
                 * @property {Uint8Array|null} [leadsRad] LinkObservation leadsRad
                 * @property {number|null} [calibratedAtUs] LinkObservation calibratedAtUs
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a LinkObservation.
                 * @memberof wavepose.internal.v1
                 * @interface ILinkObservation
                 * @augments wavepose.internal.v1.LinkObservation.$Properties
                 * @deprecated Use wavepose.internal.v1.LinkObservation.$Properties instead.
                 */

                /**
                 * Shape of a LinkObservation.
                 * @typedef {wavepose.internal.v1.LinkObservation.$Properties} wavepose.internal.v1.LinkObservation.$Shape
                 */

                /**
                 * Constructs a new LinkObservation.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a LinkObservation.
                 * @constructor
                 * @param {wavepose.internal.v1.LinkObservation.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const LinkObservation = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * LinkObservation transmitterId.
                 * @member {string} transmitterId
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.transmitterId = "";

                /**
                 * LinkObservation packets.
                 * @member {number} packets
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.packets = 0;

                /**
                 * LinkObservation outliers.
                 * @member {number} outliers
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.outliers = 0;

                /**
                 * LinkObservation rssiDbm.
                 * @member {number} rssiDbm
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.rssiDbm = 0;

                /**
                 * LinkObservation motionStatistic.
                 * @member {number|null|undefined} motionStatistic
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.motionStatistic = null;

                /**
                 * LinkObservation motionStatisticSigma.
                 * @member {number} motionStatisticSigma
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.motionStatisticSigma = 0;

                /**
                 * LinkObservation dynamicPower.
                 * @member {number|null|undefined} dynamicPower
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.dynamicPower = null;

                /**
                 * LinkObservation dynamic.
                 * @member {Uint8Array} dynamic
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.dynamic = $util.newBuffer([]);

                /**
                 * LinkObservation occupancy.
                 * @member {number|null|undefined} occupancy
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.occupancy = null;

                /**
                 * LinkObservation slowStatistic.
                 * @member {number|null|undefined} slowStatistic
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.slowStatistic = null;

                /**
                 * LinkObservation slowStatisticSigma.
                 * @member {number} slowStatisticSigma
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.slowStatisticSigma = 0;

                /**
                 * LinkObservation windowWhole.
                 * @member {boolean} windowWhole
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.windowWhole = false;

                /**
                 * LinkObservation vitals.
                 * @member {wavepose.internal.v1.Vitals.$Properties|null|undefined} vitals
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.vitals = null;

                /**
                 * LinkObservation dynamicTimesS.
                 * @member {Uint8Array} dynamicTimesS
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.dynamicTimesS = $util.newBuffer([]);

                /**
                 * LinkObservation leadsRad.
                 * @member {Uint8Array} leadsRad
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.leadsRad = $util.newBuffer([]);

                /**
                 * LinkObservation calibratedAtUs.
                 * @member {number|null|undefined} calibratedAtUs
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @instance
                 */
                LinkObservation.prototype.calibratedAtUs = null;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(LinkObservation.prototype, "_motionStatistic", {
                    get: $util.oneOfGetter($oneOfFields = ["motionStatistic"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(LinkObservation.prototype, "_dynamicPower", {
                    get: $util.oneOfGetter($oneOfFields = ["dynamicPower"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(LinkObservation.prototype, "_occupancy", {
                    get: $util.oneOfGetter($oneOfFields = ["occupancy"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(LinkObservation.prototype, "_slowStatistic", {
                    get: $util.oneOfGetter($oneOfFields = ["slowStatistic"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(LinkObservation.prototype, "_calibratedAtUs", {
                    get: $util.oneOfGetter($oneOfFields = ["calibratedAtUs"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new LinkObservation instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @static
                 * @param {wavepose.internal.v1.LinkObservation.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.LinkObservation} LinkObservation instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.LinkObservation.$Shape): wavepose.internal.v1.LinkObservation & wavepose.internal.v1.LinkObservation.$Shape;
                 *   (properties?: wavepose.internal.v1.LinkObservation.$Properties): wavepose.internal.v1.LinkObservation;
                 * }}
                 */
                LinkObservation.create = function(properties) {
                    return new LinkObservation(properties);
                };

                /**
                 * Encodes the specified LinkObservation message. Does not implicitly {@link wavepose.internal.v1.LinkObservation.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @static
                 * @param {wavepose.internal.v1.LinkObservation.$Properties} message LinkObservation message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                LinkObservation.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.transmitterId != null && $Object.hasOwnProperty.call(message, "transmitterId") && message.transmitterId !== "")
                        writer.uint32(/* id 1, wireType 2 =*/10).string(message.transmitterId);
                    if (message.packets != null && $Object.hasOwnProperty.call(message, "packets") && message.packets !== 0)
                        writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.packets);
                    if (message.outliers != null && $Object.hasOwnProperty.call(message, "outliers") && message.outliers !== 0)
                        writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.outliers);
                    if (message.rssiDbm != null && $Object.hasOwnProperty.call(message, "rssiDbm") && !$Object.is(message.rssiDbm, 0))
                        writer.uint32(/* id 4, wireType 1 =*/33).double(message.rssiDbm);
                    if (message.motionStatistic != null && $Object.hasOwnProperty.call(message, "motionStatistic"))
                        writer.uint32(/* id 5, wireType 1 =*/41).double(message.motionStatistic);
                    if (message.motionStatisticSigma != null && $Object.hasOwnProperty.call(message, "motionStatisticSigma") && !$Object.is(message.motionStatisticSigma, 0))
                        writer.uint32(/* id 6, wireType 1 =*/49).double(message.motionStatisticSigma);
                    if (message.dynamicPower != null && $Object.hasOwnProperty.call(message, "dynamicPower"))
                        writer.uint32(/* id 7, wireType 1 =*/57).double(message.dynamicPower);
                    if (message.dynamic != null && $Object.hasOwnProperty.call(message, "dynamic") && message.dynamic.length)
                        writer.uint32(/* id 8, wireType 2 =*/66).bytes(message.dynamic);
                    if (message.occupancy != null && $Object.hasOwnProperty.call(message, "occupancy"))
                        writer.uint32(/* id 9, wireType 1 =*/73).double(message.occupancy);
                    if (message.slowStatistic != null && $Object.hasOwnProperty.call(message, "slowStatistic"))
                        writer.uint32(/* id 10, wireType 1 =*/81).double(message.slowStatistic);
                    if (message.slowStatisticSigma != null && $Object.hasOwnProperty.call(message, "slowStatisticSigma") && !$Object.is(message.slowStatisticSigma, 0))
                        writer.uint32(/* id 11, wireType 1 =*/89).double(message.slowStatisticSigma);
                    if (message.windowWhole != null && $Object.hasOwnProperty.call(message, "windowWhole") && message.windowWhole !== false)
                        writer.uint32(/* id 12, wireType 0 =*/96).bool(message.windowWhole);
                    if (message.vitals != null && $Object.hasOwnProperty.call(message, "vitals"))
                        $root.wavepose.internal.v1.Vitals.encode(message.vitals, writer.uint32(/* id 13, wireType 2 =*/106).fork(), _depth + 1).ldelim();
                    if (message.dynamicTimesS != null && $Object.hasOwnProperty.call(message, "dynamicTimesS") && message.dynamicTimesS.length)
                        writer.uint32(/* id 14, wireType 2 =*/114).bytes(message.dynamicTimesS);
                    if (message.leadsRad != null && $Object.hasOwnProperty.call(message, "leadsRad") && message.leadsRad.length)
                        writer.uint32(/* id 15, wireType 2 =*/122).bytes(message.leadsRad);
                    if (message.calibratedAtUs != null && $Object.hasOwnProperty.call(message, "calibratedAtUs"))
                        writer.uint32(/* id 16, wireType 1 =*/129).double(message.calibratedAtUs);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a LinkObservation message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.LinkObservation
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.LinkObservation & wavepose.internal.v1.LinkObservation.$Shape} LinkObservation
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                LinkObservation.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.LinkObservation();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.transmitterId = value;
                                else
                                    delete message.transmitterId;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.packets = value;
                                else
                                    delete message.packets;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.outliers = value;
                                else
                                    delete message.outliers;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.rssiDbm = value;
                                else
                                    delete message.rssiDbm;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 1)
                                    break;
                                message.motionStatistic = reader.double();
                                message._motionStatistic = "motionStatistic";
                                continue;
                            }
                        case 6: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.motionStatisticSigma = value;
                                else
                                    delete message.motionStatisticSigma;
                                continue;
                            }
                        case 7: {
                                if (wireType !== 1)
                                    break;
                                message.dynamicPower = reader.double();
                                message._dynamicPower = "dynamicPower";
                                continue;
                            }
                        case 8: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.bytes()).length)
                                    message.dynamic = value;
                                else
                                    delete message.dynamic;
                                continue;
                            }
                        case 9: {
                                if (wireType !== 1)
                                    break;
                                message.occupancy = reader.double();
                                message._occupancy = "occupancy";
                                continue;
                            }
                        case 10: {
                                if (wireType !== 1)
                                    break;
                                message.slowStatistic = reader.double();
                                message._slowStatistic = "slowStatistic";
                                continue;
                            }
                        case 11: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.slowStatisticSigma = value;
                                else
                                    delete message.slowStatisticSigma;
                                continue;
                            }
                        case 12: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.bool())
                                    message.windowWhole = value;
                                else
                                    delete message.windowWhole;
                                continue;
                            }
                        case 13: {
                                if (wireType !== 2)
                                    break;
                                message.vitals = $root.wavepose.internal.v1.Vitals.decode(reader, reader.size(), $undefined, _depth + 1, message.vitals);
                                continue;
                            }
                        case 14: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.bytes()).length)
                                    message.dynamicTimesS = value;
                                else
                                    delete message.dynamicTimesS;
                                continue;
                            }
                        case 15: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.bytes()).length)
                                    message.leadsRad = value;
                                else
                                    delete message.leadsRad;
                                continue;
                            }
                        case 16: {
                                if (wireType !== 1)
                                    break;
                                message.calibratedAtUs = reader.double();
                                message._calibratedAtUs = "calibratedAtUs";
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return LinkObservation;
            })();

            v1.Observation = (function() {

                /**
                 * Properties of an Observation.
                 * @typedef {Object} wavepose.internal.v1.Observation.$Properties
                 * @property {string|null} [routerId] Observation routerId
                 * @property {number|null} [hop] Observation hop
                 * @property {wavepose.v1.Source|null} [source] Observation source
                 * @property {boolean|null} [calibrated] Observation calibrated
                 * @property {number|null} [receiveAntennas] Observation receiveAntennas
                 * @property {number|null} [centerFrequencyHz] Observation centerFrequencyHz
                 * @property {Uint8Array|null} [tonesHz] Observation tonesHz
                 * @property {number|null} [packetRateHz] Observation packetRateHz
                 * @property {number|null} [packetLoss] Observation packetLoss
                 * @property {Array.<wavepose.internal.v1.LinkObservation.$Properties>|null} [links] Observation links
                 * @property {boolean|null} [amplitudeOnly] Observation amplitudeOnly
                 * @property {Array.<number>|null} [shedHops] Observation shedHops
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of an Observation.
                 * @memberof wavepose.internal.v1
                 * @interface IObservation
                 * @augments wavepose.internal.v1.Observation.$Properties
                 * @deprecated Use wavepose.internal.v1.Observation.$Properties instead.
                 */

                /**
                 * Shape of an Observation.
                 * @typedef {wavepose.internal.v1.Observation.$Properties} wavepose.internal.v1.Observation.$Shape
                 */

                /**
                 * Constructs a new Observation.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents an Observation.
                 * @constructor
                 * @param {wavepose.internal.v1.Observation.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Observation = function (properties) {
                    this.links = [];
                    this.shedHops = [];
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Observation routerId.
                 * @member {string} routerId
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.routerId = "";

                /**
                 * Observation hop.
                 * @member {number} hop
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.hop = 0;

                /**
                 * Observation source.
                 * @member {wavepose.v1.Source} source
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.source = 0;

                /**
                 * Observation calibrated.
                 * @member {boolean} calibrated
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.calibrated = false;

                /**
                 * Observation receiveAntennas.
                 * @member {number} receiveAntennas
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.receiveAntennas = 0;

                /**
                 * Observation centerFrequencyHz.
                 * @member {number} centerFrequencyHz
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.centerFrequencyHz = 0;

                /**
                 * Observation tonesHz.
                 * @member {Uint8Array} tonesHz
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.tonesHz = $util.newBuffer([]);

                /**
                 * Observation packetRateHz.
                 * @member {number} packetRateHz
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.packetRateHz = 0;

                /**
                 * Observation packetLoss.
                 * @member {number|null|undefined} packetLoss
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.packetLoss = null;

                /**
                 * Observation links.
                 * @member {Array.<wavepose.internal.v1.LinkObservation.$Properties>} links
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.links = $util.emptyArray;

                /**
                 * Observation amplitudeOnly.
                 * @member {boolean} amplitudeOnly
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.amplitudeOnly = false;

                /**
                 * Observation shedHops.
                 * @member {Array.<number>} shedHops
                 * @memberof wavepose.internal.v1.Observation
                 * @instance
                 */
                Observation.prototype.shedHops = $util.emptyArray;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Observation.prototype, "_packetLoss", {
                    get: $util.oneOfGetter($oneOfFields = ["packetLoss"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new Observation instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Observation
                 * @static
                 * @param {wavepose.internal.v1.Observation.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Observation} Observation instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Observation.$Shape): wavepose.internal.v1.Observation & wavepose.internal.v1.Observation.$Shape;
                 *   (properties?: wavepose.internal.v1.Observation.$Properties): wavepose.internal.v1.Observation;
                 * }}
                 */
                Observation.create = function(properties) {
                    return new Observation(properties);
                };

                /**
                 * Encodes the specified Observation message. Does not implicitly {@link wavepose.internal.v1.Observation.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Observation
                 * @static
                 * @param {wavepose.internal.v1.Observation.$Properties} message Observation message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Observation.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.routerId != null && $Object.hasOwnProperty.call(message, "routerId") && message.routerId !== "")
                        writer.uint32(/* id 1, wireType 2 =*/10).string(message.routerId);
                    if (message.hop != null && $Object.hasOwnProperty.call(message, "hop") && !$Object.is(message.hop, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.hop);
                    if (message.source != null && $Object.hasOwnProperty.call(message, "source") && message.source !== 0)
                        writer.uint32(/* id 3, wireType 0 =*/24).int32(message.source);
                    if (message.calibrated != null && $Object.hasOwnProperty.call(message, "calibrated") && message.calibrated !== false)
                        writer.uint32(/* id 4, wireType 0 =*/32).bool(message.calibrated);
                    if (message.receiveAntennas != null && $Object.hasOwnProperty.call(message, "receiveAntennas") && message.receiveAntennas !== 0)
                        writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.receiveAntennas);
                    if (message.centerFrequencyHz != null && $Object.hasOwnProperty.call(message, "centerFrequencyHz") && !$Object.is(message.centerFrequencyHz, 0))
                        writer.uint32(/* id 6, wireType 1 =*/49).double(message.centerFrequencyHz);
                    if (message.tonesHz != null && $Object.hasOwnProperty.call(message, "tonesHz") && message.tonesHz.length)
                        writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.tonesHz);
                    if (message.packetRateHz != null && $Object.hasOwnProperty.call(message, "packetRateHz") && !$Object.is(message.packetRateHz, 0))
                        writer.uint32(/* id 8, wireType 1 =*/65).double(message.packetRateHz);
                    if (message.packetLoss != null && $Object.hasOwnProperty.call(message, "packetLoss"))
                        writer.uint32(/* id 9, wireType 1 =*/73).double(message.packetLoss);
                    if (message.links != null && message.links.length)
                        for (let i = 0; i < message.links.length; ++i)
                            $root.wavepose.internal.v1.LinkObservation.encode(message.links[i], writer.uint32(/* id 10, wireType 2 =*/82).fork(), _depth + 1).ldelim();
                    if (message.amplitudeOnly != null && $Object.hasOwnProperty.call(message, "amplitudeOnly") && message.amplitudeOnly !== false)
                        writer.uint32(/* id 11, wireType 0 =*/88).bool(message.amplitudeOnly);
                    if (message.shedHops != null && message.shedHops.length)
                        writer.uint32(/* id 12, wireType 2 =*/98).doubles(message.shedHops);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes an Observation message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Observation
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Observation & wavepose.internal.v1.Observation.$Shape} Observation
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Observation.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Observation();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.routerId = value;
                                else
                                    delete message.routerId;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.hop = value;
                                else
                                    delete message.hop;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.int32())
                                    message.source = value;
                                else
                                    delete message.source;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.bool())
                                    message.calibrated = value;
                                else
                                    delete message.calibrated;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.receiveAntennas = value;
                                else
                                    delete message.receiveAntennas;
                                continue;
                            }
                        case 6: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.centerFrequencyHz = value;
                                else
                                    delete message.centerFrequencyHz;
                                continue;
                            }
                        case 7: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.bytes()).length)
                                    message.tonesHz = value;
                                else
                                    delete message.tonesHz;
                                continue;
                            }
                        case 8: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.packetRateHz = value;
                                else
                                    delete message.packetRateHz;
                                continue;
                            }
                        case 9: {
                                if (wireType !== 1)
                                    break;
                                message.packetLoss = reader.double();
                                message._packetLoss = "packetLoss";
                                continue;
                            }
                        case 10: {
                                if (wireType !== 2)
                                    break;
                                if (!(message.links && message.links.length))
                                    message.links = [];
                                message.links.push($root.wavepose.internal.v1.LinkObservation.decode(reader, reader.size(), $undefined, _depth + 1));
                                continue;
                            }
                        case 11: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.bool())
                                    message.amplitudeOnly = value;
                                else
                                    delete message.amplitudeOnly;
                                continue;
                            }
                        case 12: {
                                if (wireType === 2) {
                                    if (!(message.shedHops && message.shedHops.length))
                                        message.shedHops = [];
                                    reader.doubles(message.shedHops);
                                    continue;
                                }
                                if (wireType !== 1)
                                    break;
                                if (!(message.shedHops && message.shedHops.length))
                                    message.shedHops = [];
                                message.shedHops.push(reader.double());
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Observation;
            })();

            v1.Point = (function() {

                /**
                 * Properties of a Point.
                 * @typedef {Object} wavepose.internal.v1.Point.$Properties
                 * @property {number|null} [x] Point x
                 * @property {number|null} [y] Point y
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a Point.
                 * @memberof wavepose.internal.v1
                 * @interface IPoint
                 * @augments wavepose.internal.v1.Point.$Properties
                 * @deprecated Use wavepose.internal.v1.Point.$Properties instead.
                 */

                /**
                 * Shape of a Point.
                 * @typedef {wavepose.internal.v1.Point.$Properties} wavepose.internal.v1.Point.$Shape
                 */

                /**
                 * Constructs a new Point.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a Point.
                 * @constructor
                 * @param {wavepose.internal.v1.Point.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Point = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Point x.
                 * @member {number} x
                 * @memberof wavepose.internal.v1.Point
                 * @instance
                 */
                Point.prototype.x = 0;

                /**
                 * Point y.
                 * @member {number} y
                 * @memberof wavepose.internal.v1.Point
                 * @instance
                 */
                Point.prototype.y = 0;

                /**
                 * Creates a new Point instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Point
                 * @static
                 * @param {wavepose.internal.v1.Point.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Point} Point instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Point.$Shape): wavepose.internal.v1.Point & wavepose.internal.v1.Point.$Shape;
                 *   (properties?: wavepose.internal.v1.Point.$Properties): wavepose.internal.v1.Point;
                 * }}
                 */
                Point.create = function(properties) {
                    return new Point(properties);
                };

                /**
                 * Encodes the specified Point message. Does not implicitly {@link wavepose.internal.v1.Point.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Point
                 * @static
                 * @param {wavepose.internal.v1.Point.$Properties} message Point message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Point.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.x != null && $Object.hasOwnProperty.call(message, "x") && !$Object.is(message.x, 0))
                        writer.uint32(/* id 1, wireType 1 =*/9).double(message.x);
                    if (message.y != null && $Object.hasOwnProperty.call(message, "y") && !$Object.is(message.y, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.y);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a Point message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Point
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Point & wavepose.internal.v1.Point.$Shape} Point
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Point.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Point();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.x = value;
                                else
                                    delete message.x;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.y = value;
                                else
                                    delete message.y;
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Point;
            })();

            v1.Keypoint = (function() {

                /**
                 * Properties of a Keypoint.
                 * @typedef {Object} wavepose.internal.v1.Keypoint.$Properties
                 * @property {string|null} [name] Keypoint name
                 * @property {number|null} [x] Keypoint x
                 * @property {number|null} [y] Keypoint y
                 * @property {number|null} [confidence] Keypoint confidence
                 * @property {boolean|null} [visible] Keypoint visible
                 * @property {boolean|null} [observed] Keypoint observed
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a Keypoint.
                 * @memberof wavepose.internal.v1
                 * @interface IKeypoint
                 * @augments wavepose.internal.v1.Keypoint.$Properties
                 * @deprecated Use wavepose.internal.v1.Keypoint.$Properties instead.
                 */

                /**
                 * Shape of a Keypoint.
                 * @typedef {wavepose.internal.v1.Keypoint.$Properties} wavepose.internal.v1.Keypoint.$Shape
                 */

                /**
                 * Constructs a new Keypoint.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a Keypoint.
                 * @constructor
                 * @param {wavepose.internal.v1.Keypoint.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Keypoint = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Keypoint name.
                 * @member {string} name
                 * @memberof wavepose.internal.v1.Keypoint
                 * @instance
                 */
                Keypoint.prototype.name = "";

                /**
                 * Keypoint x.
                 * @member {number} x
                 * @memberof wavepose.internal.v1.Keypoint
                 * @instance
                 */
                Keypoint.prototype.x = 0;

                /**
                 * Keypoint y.
                 * @member {number} y
                 * @memberof wavepose.internal.v1.Keypoint
                 * @instance
                 */
                Keypoint.prototype.y = 0;

                /**
                 * Keypoint confidence.
                 * @member {number} confidence
                 * @memberof wavepose.internal.v1.Keypoint
                 * @instance
                 */
                Keypoint.prototype.confidence = 0;

                /**
                 * Keypoint visible.
                 * @member {boolean} visible
                 * @memberof wavepose.internal.v1.Keypoint
                 * @instance
                 */
                Keypoint.prototype.visible = false;

                /**
                 * Keypoint observed.
                 * @member {boolean|null|undefined} observed
                 * @memberof wavepose.internal.v1.Keypoint
                 * @instance
                 */
                Keypoint.prototype.observed = null;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Keypoint.prototype, "_observed", {
                    get: $util.oneOfGetter($oneOfFields = ["observed"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new Keypoint instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Keypoint
                 * @static
                 * @param {wavepose.internal.v1.Keypoint.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Keypoint} Keypoint instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Keypoint.$Shape): wavepose.internal.v1.Keypoint & wavepose.internal.v1.Keypoint.$Shape;
                 *   (properties?: wavepose.internal.v1.Keypoint.$Properties): wavepose.internal.v1.Keypoint;
                 * }}
                 */
                Keypoint.create = function(properties) {
                    return new Keypoint(properties);
                };

                /**
                 * Encodes the specified Keypoint message. Does not implicitly {@link wavepose.internal.v1.Keypoint.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Keypoint
                 * @static
                 * @param {wavepose.internal.v1.Keypoint.$Properties} message Keypoint message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Keypoint.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                        writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
                    if (message.x != null && $Object.hasOwnProperty.call(message, "x") && !$Object.is(message.x, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.x);
                    if (message.y != null && $Object.hasOwnProperty.call(message, "y") && !$Object.is(message.y, 0))
                        writer.uint32(/* id 3, wireType 1 =*/25).double(message.y);
                    if (message.confidence != null && $Object.hasOwnProperty.call(message, "confidence") && !$Object.is(message.confidence, 0))
                        writer.uint32(/* id 4, wireType 1 =*/33).double(message.confidence);
                    if (message.visible != null && $Object.hasOwnProperty.call(message, "visible") && message.visible !== false)
                        writer.uint32(/* id 5, wireType 0 =*/40).bool(message.visible);
                    if (message.observed != null && $Object.hasOwnProperty.call(message, "observed"))
                        writer.uint32(/* id 6, wireType 0 =*/48).bool(message.observed);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a Keypoint message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Keypoint
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Keypoint & wavepose.internal.v1.Keypoint.$Shape} Keypoint
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Keypoint.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Keypoint();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.name = value;
                                else
                                    delete message.name;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.x = value;
                                else
                                    delete message.x;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.y = value;
                                else
                                    delete message.y;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.confidence = value;
                                else
                                    delete message.confidence;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.bool())
                                    message.visible = value;
                                else
                                    delete message.visible;
                                continue;
                            }
                        case 6: {
                                if (wireType !== 0)
                                    break;
                                message.observed = reader.bool();
                                message._observed = "observed";
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Keypoint;
            })();

            v1.Keypoint3d = (function() {

                /**
                 * Properties of a Keypoint3d.
                 * @typedef {Object} wavepose.internal.v1.Keypoint3d.$Properties
                 * @property {string|null} [name] Keypoint3d name
                 * @property {number|null} [x] Keypoint3d x
                 * @property {number|null} [y] Keypoint3d y
                 * @property {number|null} [z] Keypoint3d z
                 * @property {number|null} [confidence] Keypoint3d confidence
                 * @property {number|null} [sigmaM] Keypoint3d sigmaM
                 * @property {boolean|null} [observed] Keypoint3d observed
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a Keypoint3d.
                 * @memberof wavepose.internal.v1
                 * @interface IKeypoint3d
                 * @augments wavepose.internal.v1.Keypoint3d.$Properties
                 * @deprecated Use wavepose.internal.v1.Keypoint3d.$Properties instead.
                 */

                /**
                 * Shape of a Keypoint3d.
                 * @typedef {wavepose.internal.v1.Keypoint3d.$Properties} wavepose.internal.v1.Keypoint3d.$Shape
                 */

                /**
                 * Constructs a new Keypoint3d.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a Keypoint3d.
                 * @constructor
                 * @param {wavepose.internal.v1.Keypoint3d.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Keypoint3d = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Keypoint3d name.
                 * @member {string} name
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @instance
                 */
                Keypoint3d.prototype.name = "";

                /**
                 * Keypoint3d x.
                 * @member {number} x
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @instance
                 */
                Keypoint3d.prototype.x = 0;

                /**
                 * Keypoint3d y.
                 * @member {number} y
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @instance
                 */
                Keypoint3d.prototype.y = 0;

                /**
                 * Keypoint3d z.
                 * @member {number} z
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @instance
                 */
                Keypoint3d.prototype.z = 0;

                /**
                 * Keypoint3d confidence.
                 * @member {number} confidence
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @instance
                 */
                Keypoint3d.prototype.confidence = 0;

                /**
                 * Keypoint3d sigmaM.
                 * @member {number} sigmaM
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @instance
                 */
                Keypoint3d.prototype.sigmaM = 0;

                /**
                 * Keypoint3d observed.
                 * @member {boolean|null|undefined} observed
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @instance
                 */
                Keypoint3d.prototype.observed = null;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Keypoint3d.prototype, "_observed", {
                    get: $util.oneOfGetter($oneOfFields = ["observed"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new Keypoint3d instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @static
                 * @param {wavepose.internal.v1.Keypoint3d.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Keypoint3d} Keypoint3d instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Keypoint3d.$Shape): wavepose.internal.v1.Keypoint3d & wavepose.internal.v1.Keypoint3d.$Shape;
                 *   (properties?: wavepose.internal.v1.Keypoint3d.$Properties): wavepose.internal.v1.Keypoint3d;
                 * }}
                 */
                Keypoint3d.create = function(properties) {
                    return new Keypoint3d(properties);
                };

                /**
                 * Encodes the specified Keypoint3d message. Does not implicitly {@link wavepose.internal.v1.Keypoint3d.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @static
                 * @param {wavepose.internal.v1.Keypoint3d.$Properties} message Keypoint3d message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Keypoint3d.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                        writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
                    if (message.x != null && $Object.hasOwnProperty.call(message, "x") && !$Object.is(message.x, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.x);
                    if (message.y != null && $Object.hasOwnProperty.call(message, "y") && !$Object.is(message.y, 0))
                        writer.uint32(/* id 3, wireType 1 =*/25).double(message.y);
                    if (message.z != null && $Object.hasOwnProperty.call(message, "z") && !$Object.is(message.z, 0))
                        writer.uint32(/* id 4, wireType 1 =*/33).double(message.z);
                    if (message.confidence != null && $Object.hasOwnProperty.call(message, "confidence") && !$Object.is(message.confidence, 0))
                        writer.uint32(/* id 5, wireType 1 =*/41).double(message.confidence);
                    if (message.sigmaM != null && $Object.hasOwnProperty.call(message, "sigmaM") && !$Object.is(message.sigmaM, 0))
                        writer.uint32(/* id 6, wireType 1 =*/49).double(message.sigmaM);
                    if (message.observed != null && $Object.hasOwnProperty.call(message, "observed"))
                        writer.uint32(/* id 7, wireType 0 =*/56).bool(message.observed);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a Keypoint3d message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Keypoint3d
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Keypoint3d & wavepose.internal.v1.Keypoint3d.$Shape} Keypoint3d
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Keypoint3d.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Keypoint3d();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.name = value;
                                else
                                    delete message.name;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.x = value;
                                else
                                    delete message.x;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.y = value;
                                else
                                    delete message.y;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.z = value;
                                else
                                    delete message.z;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.confidence = value;
                                else
                                    delete message.confidence;
                                continue;
                            }
                        case 6: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.sigmaM = value;
                                else
                                    delete message.sigmaM;
                                continue;
                            }
                        case 7: {
                                if (wireType !== 0)
                                    break;
                                message.observed = reader.bool();
                                message._observed = "observed";
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Keypoint3d;
            })();

            v1.BoundingBox = (function() {

                /**
                 * Properties of a BoundingBox.
                 * @typedef {Object} wavepose.internal.v1.BoundingBox.$Properties
                 * @property {number|null} [x] BoundingBox x
                 * @property {number|null} [y] BoundingBox y
                 * @property {number|null} [width] BoundingBox width
                 * @property {number|null} [height] BoundingBox height
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a BoundingBox.
                 * @memberof wavepose.internal.v1
                 * @interface IBoundingBox
                 * @augments wavepose.internal.v1.BoundingBox.$Properties
                 * @deprecated Use wavepose.internal.v1.BoundingBox.$Properties instead.
                 */

                /**
                 * Shape of a BoundingBox.
                 * @typedef {wavepose.internal.v1.BoundingBox.$Properties} wavepose.internal.v1.BoundingBox.$Shape
                 */

                /**
                 * Constructs a new BoundingBox.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a BoundingBox.
                 * @constructor
                 * @param {wavepose.internal.v1.BoundingBox.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const BoundingBox = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * BoundingBox x.
                 * @member {number} x
                 * @memberof wavepose.internal.v1.BoundingBox
                 * @instance
                 */
                BoundingBox.prototype.x = 0;

                /**
                 * BoundingBox y.
                 * @member {number} y
                 * @memberof wavepose.internal.v1.BoundingBox
                 * @instance
                 */
                BoundingBox.prototype.y = 0;

                /**
                 * BoundingBox width.
                 * @member {number} width
                 * @memberof wavepose.internal.v1.BoundingBox
                 * @instance
                 */
                BoundingBox.prototype.width = 0;

                /**
                 * BoundingBox height.
                 * @member {number} height
                 * @memberof wavepose.internal.v1.BoundingBox
                 * @instance
                 */
                BoundingBox.prototype.height = 0;

                /**
                 * Creates a new BoundingBox instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.BoundingBox
                 * @static
                 * @param {wavepose.internal.v1.BoundingBox.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.BoundingBox} BoundingBox instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.BoundingBox.$Shape): wavepose.internal.v1.BoundingBox & wavepose.internal.v1.BoundingBox.$Shape;
                 *   (properties?: wavepose.internal.v1.BoundingBox.$Properties): wavepose.internal.v1.BoundingBox;
                 * }}
                 */
                BoundingBox.create = function(properties) {
                    return new BoundingBox(properties);
                };

                /**
                 * Encodes the specified BoundingBox message. Does not implicitly {@link wavepose.internal.v1.BoundingBox.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.BoundingBox
                 * @static
                 * @param {wavepose.internal.v1.BoundingBox.$Properties} message BoundingBox message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                BoundingBox.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.x != null && $Object.hasOwnProperty.call(message, "x") && !$Object.is(message.x, 0))
                        writer.uint32(/* id 1, wireType 1 =*/9).double(message.x);
                    if (message.y != null && $Object.hasOwnProperty.call(message, "y") && !$Object.is(message.y, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.y);
                    if (message.width != null && $Object.hasOwnProperty.call(message, "width") && !$Object.is(message.width, 0))
                        writer.uint32(/* id 3, wireType 1 =*/25).double(message.width);
                    if (message.height != null && $Object.hasOwnProperty.call(message, "height") && !$Object.is(message.height, 0))
                        writer.uint32(/* id 4, wireType 1 =*/33).double(message.height);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a BoundingBox message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.BoundingBox
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.BoundingBox & wavepose.internal.v1.BoundingBox.$Shape} BoundingBox
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                BoundingBox.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.BoundingBox();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.x = value;
                                else
                                    delete message.x;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.y = value;
                                else
                                    delete message.y;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.width = value;
                                else
                                    delete message.width;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.height = value;
                                else
                                    delete message.height;
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return BoundingBox;
            })();

            v1.Person = (function() {

                /**
                 * Properties of a Person.
                 * @typedef {Object} wavepose.internal.v1.Person.$Properties
                 * @property {number|null} [id] Person id
                 * @property {string|null} [trackStatus] Person trackStatus
                 * @property {number|null} [trackAge] Person trackAge
                 * @property {number|null} [confidence] Person confidence
                 * @property {string|null} [activity] Person activity
                 * @property {wavepose.internal.v1.Point.$Properties|null} [location] Person location
                 * @property {number|null} [locationSigmaM] Person locationSigmaM
                 * @property {wavepose.internal.v1.Point.$Properties|null} [velocity] Person velocity
                 * @property {wavepose.internal.v1.BoundingBox.$Properties|null} [boundingBox] Person boundingBox
                 * @property {Array.<wavepose.internal.v1.Keypoint.$Properties>|null} [keypoints] Person keypoints
                 * @property {Array.<wavepose.internal.v1.Keypoint3d.$Properties>|null} [keypoints_3d] Person keypoints_3d
                 * @property {string|null} [evidenceReason] Person evidenceReason
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a Person.
                 * @memberof wavepose.internal.v1
                 * @interface IPerson
                 * @augments wavepose.internal.v1.Person.$Properties
                 * @deprecated Use wavepose.internal.v1.Person.$Properties instead.
                 */

                /**
                 * Shape of a Person.
                 * @typedef {wavepose.internal.v1.Person.$Properties} wavepose.internal.v1.Person.$Shape
                 */

                /**
                 * Constructs a new Person.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a Person.
                 * @constructor
                 * @param {wavepose.internal.v1.Person.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Person = function (properties) {
                    this.keypoints = [];
                    this.keypoints_3d = [];
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Person id.
                 * @member {number} id
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.id = 0;

                /**
                 * Person trackStatus.
                 * @member {string} trackStatus
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.trackStatus = "";

                /**
                 * Person trackAge.
                 * @member {number} trackAge
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.trackAge = 0;

                /**
                 * Person confidence.
                 * @member {number} confidence
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.confidence = 0;

                /**
                 * Person activity.
                 * @member {string} activity
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.activity = "";

                /**
                 * Person location.
                 * @member {wavepose.internal.v1.Point.$Properties|null|undefined} location
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.location = null;

                /**
                 * Person locationSigmaM.
                 * @member {number} locationSigmaM
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.locationSigmaM = 0;

                /**
                 * Person velocity.
                 * @member {wavepose.internal.v1.Point.$Properties|null|undefined} velocity
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.velocity = null;

                /**
                 * Person boundingBox.
                 * @member {wavepose.internal.v1.BoundingBox.$Properties|null|undefined} boundingBox
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.boundingBox = null;

                /**
                 * Person keypoints.
                 * @member {Array.<wavepose.internal.v1.Keypoint.$Properties>} keypoints
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.keypoints = $util.emptyArray;

                /**
                 * Person keypoints_3d.
                 * @member {Array.<wavepose.internal.v1.Keypoint3d.$Properties>} keypoints_3d
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.keypoints_3d = $util.emptyArray;

                /**
                 * Person evidenceReason.
                 * @member {string|null|undefined} evidenceReason
                 * @memberof wavepose.internal.v1.Person
                 * @instance
                 */
                Person.prototype.evidenceReason = null;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Person.prototype, "_evidenceReason", {
                    get: $util.oneOfGetter($oneOfFields = ["evidenceReason"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new Person instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Person
                 * @static
                 * @param {wavepose.internal.v1.Person.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Person} Person instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Person.$Shape): wavepose.internal.v1.Person & wavepose.internal.v1.Person.$Shape;
                 *   (properties?: wavepose.internal.v1.Person.$Properties): wavepose.internal.v1.Person;
                 * }}
                 */
                Person.create = function(properties) {
                    return new Person(properties);
                };

                /**
                 * Encodes the specified Person message. Does not implicitly {@link wavepose.internal.v1.Person.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Person
                 * @static
                 * @param {wavepose.internal.v1.Person.$Properties} message Person message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Person.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== 0)
                        writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.id);
                    if (message.trackStatus != null && $Object.hasOwnProperty.call(message, "trackStatus") && message.trackStatus !== "")
                        writer.uint32(/* id 2, wireType 2 =*/18).string(message.trackStatus);
                    if (message.trackAge != null && $Object.hasOwnProperty.call(message, "trackAge") && message.trackAge !== 0)
                        writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.trackAge);
                    if (message.confidence != null && $Object.hasOwnProperty.call(message, "confidence") && !$Object.is(message.confidence, 0))
                        writer.uint32(/* id 4, wireType 1 =*/33).double(message.confidence);
                    if (message.activity != null && $Object.hasOwnProperty.call(message, "activity") && message.activity !== "")
                        writer.uint32(/* id 5, wireType 2 =*/42).string(message.activity);
                    if (message.location != null && $Object.hasOwnProperty.call(message, "location"))
                        $root.wavepose.internal.v1.Point.encode(message.location, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                    if (message.locationSigmaM != null && $Object.hasOwnProperty.call(message, "locationSigmaM") && !$Object.is(message.locationSigmaM, 0))
                        writer.uint32(/* id 7, wireType 1 =*/57).double(message.locationSigmaM);
                    if (message.velocity != null && $Object.hasOwnProperty.call(message, "velocity"))
                        $root.wavepose.internal.v1.Point.encode(message.velocity, writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                    if (message.boundingBox != null && $Object.hasOwnProperty.call(message, "boundingBox"))
                        $root.wavepose.internal.v1.BoundingBox.encode(message.boundingBox, writer.uint32(/* id 9, wireType 2 =*/74).fork(), _depth + 1).ldelim();
                    if (message.keypoints != null && message.keypoints.length)
                        for (let i = 0; i < message.keypoints.length; ++i)
                            $root.wavepose.internal.v1.Keypoint.encode(message.keypoints[i], writer.uint32(/* id 10, wireType 2 =*/82).fork(), _depth + 1).ldelim();
                    if (message.keypoints_3d != null && message.keypoints_3d.length)
                        for (let i = 0; i < message.keypoints_3d.length; ++i)
                            $root.wavepose.internal.v1.Keypoint3d.encode(message.keypoints_3d[i], writer.uint32(/* id 11, wireType 2 =*/90).fork(), _depth + 1).ldelim();
                    if (message.evidenceReason != null && $Object.hasOwnProperty.call(message, "evidenceReason"))
                        writer.uint32(/* id 12, wireType 2 =*/98).string(message.evidenceReason);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a Person message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Person
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Person & wavepose.internal.v1.Person.$Shape} Person
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Person.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Person();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.id = value;
                                else
                                    delete message.id;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.trackStatus = value;
                                else
                                    delete message.trackStatus;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.trackAge = value;
                                else
                                    delete message.trackAge;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.confidence = value;
                                else
                                    delete message.confidence;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.activity = value;
                                else
                                    delete message.activity;
                                continue;
                            }
                        case 6: {
                                if (wireType !== 2)
                                    break;
                                message.location = $root.wavepose.internal.v1.Point.decode(reader, reader.size(), $undefined, _depth + 1, message.location);
                                continue;
                            }
                        case 7: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.locationSigmaM = value;
                                else
                                    delete message.locationSigmaM;
                                continue;
                            }
                        case 8: {
                                if (wireType !== 2)
                                    break;
                                message.velocity = $root.wavepose.internal.v1.Point.decode(reader, reader.size(), $undefined, _depth + 1, message.velocity);
                                continue;
                            }
                        case 9: {
                                if (wireType !== 2)
                                    break;
                                message.boundingBox = $root.wavepose.internal.v1.BoundingBox.decode(reader, reader.size(), $undefined, _depth + 1, message.boundingBox);
                                continue;
                            }
                        case 10: {
                                if (wireType !== 2)
                                    break;
                                if (!(message.keypoints && message.keypoints.length))
                                    message.keypoints = [];
                                message.keypoints.push($root.wavepose.internal.v1.Keypoint.decode(reader, reader.size(), $undefined, _depth + 1));
                                continue;
                            }
                        case 11: {
                                if (wireType !== 2)
                                    break;
                                if (!(message.keypoints_3d && message.keypoints_3d.length))
                                    message.keypoints_3d = [];
                                message.keypoints_3d.push($root.wavepose.internal.v1.Keypoint3d.decode(reader, reader.size(), $undefined, _depth + 1));
                                continue;
                            }
                        case 12: {
                                if (wireType !== 2)
                                    break;
                                message.evidenceReason = reader.stringVerify();
                                message._evidenceReason = "evidenceReason";
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Person;
            })();

            v1.Presence = (function() {

                /**
                 * Properties of a Presence.
                 * @typedef {Object} wavepose.internal.v1.Presence.$Properties
                 * @property {boolean|null} [present] Presence present
                 * @property {number|null} [confidence] Presence confidence
                 * @property {string|null} [reason] Presence reason
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a Presence.
                 * @memberof wavepose.internal.v1
                 * @interface IPresence
                 * @augments wavepose.internal.v1.Presence.$Properties
                 * @deprecated Use wavepose.internal.v1.Presence.$Properties instead.
                 */

                /**
                 * Shape of a Presence.
                 * @typedef {wavepose.internal.v1.Presence.$Properties} wavepose.internal.v1.Presence.$Shape
                 */

                /**
                 * Constructs a new Presence.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a Presence.
                 * @constructor
                 * @param {wavepose.internal.v1.Presence.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Presence = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Presence present.
                 * @member {boolean|null|undefined} present
                 * @memberof wavepose.internal.v1.Presence
                 * @instance
                 */
                Presence.prototype.present = null;

                /**
                 * Presence confidence.
                 * @member {number} confidence
                 * @memberof wavepose.internal.v1.Presence
                 * @instance
                 */
                Presence.prototype.confidence = 0;

                /**
                 * Presence reason.
                 * @member {string|null|undefined} reason
                 * @memberof wavepose.internal.v1.Presence
                 * @instance
                 */
                Presence.prototype.reason = null;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Presence.prototype, "_present", {
                    get: $util.oneOfGetter($oneOfFields = ["present"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Presence.prototype, "_reason", {
                    get: $util.oneOfGetter($oneOfFields = ["reason"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new Presence instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Presence
                 * @static
                 * @param {wavepose.internal.v1.Presence.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Presence} Presence instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Presence.$Shape): wavepose.internal.v1.Presence & wavepose.internal.v1.Presence.$Shape;
                 *   (properties?: wavepose.internal.v1.Presence.$Properties): wavepose.internal.v1.Presence;
                 * }}
                 */
                Presence.create = function(properties) {
                    return new Presence(properties);
                };

                /**
                 * Encodes the specified Presence message. Does not implicitly {@link wavepose.internal.v1.Presence.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Presence
                 * @static
                 * @param {wavepose.internal.v1.Presence.$Properties} message Presence message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Presence.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.present != null && $Object.hasOwnProperty.call(message, "present"))
                        writer.uint32(/* id 1, wireType 0 =*/8).bool(message.present);
                    if (message.confidence != null && $Object.hasOwnProperty.call(message, "confidence") && !$Object.is(message.confidence, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.confidence);
                    if (message.reason != null && $Object.hasOwnProperty.call(message, "reason"))
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.reason);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a Presence message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Presence
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Presence & wavepose.internal.v1.Presence.$Shape} Presence
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Presence.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Presence();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 0)
                                    break;
                                message.present = reader.bool();
                                message._present = "present";
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.confidence = value;
                                else
                                    delete message.confidence;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 2)
                                    break;
                                message.reason = reader.stringVerify();
                                message._reason = "reason";
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Presence;
            })();

            v1.Vitals = (function() {

                /**
                 * Properties of a Vitals.
                 * @typedef {Object} wavepose.internal.v1.Vitals.$Properties
                 * @property {number|null} [breathingRateBpm] Vitals breathingRateBpm
                 * @property {number|null} [breathingConfidence] Vitals breathingConfidence
                 * @property {string|null} [breathingReason] Vitals breathingReason
                 * @property {number|null} [heartRateBpm] Vitals heartRateBpm
                 * @property {string|null} [heartReason] Vitals heartReason
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a Vitals.
                 * @memberof wavepose.internal.v1
                 * @interface IVitals
                 * @augments wavepose.internal.v1.Vitals.$Properties
                 * @deprecated Use wavepose.internal.v1.Vitals.$Properties instead.
                 */

                /**
                 * Shape of a Vitals.
                 * @typedef {wavepose.internal.v1.Vitals.$Properties} wavepose.internal.v1.Vitals.$Shape
                 */

                /**
                 * Constructs a new Vitals.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a Vitals.
                 * @constructor
                 * @param {wavepose.internal.v1.Vitals.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Vitals = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Vitals breathingRateBpm.
                 * @member {number|null|undefined} breathingRateBpm
                 * @memberof wavepose.internal.v1.Vitals
                 * @instance
                 */
                Vitals.prototype.breathingRateBpm = null;

                /**
                 * Vitals breathingConfidence.
                 * @member {number} breathingConfidence
                 * @memberof wavepose.internal.v1.Vitals
                 * @instance
                 */
                Vitals.prototype.breathingConfidence = 0;

                /**
                 * Vitals breathingReason.
                 * @member {string|null|undefined} breathingReason
                 * @memberof wavepose.internal.v1.Vitals
                 * @instance
                 */
                Vitals.prototype.breathingReason = null;

                /**
                 * Vitals heartRateBpm.
                 * @member {number|null|undefined} heartRateBpm
                 * @memberof wavepose.internal.v1.Vitals
                 * @instance
                 */
                Vitals.prototype.heartRateBpm = null;

                /**
                 * Vitals heartReason.
                 * @member {string|null|undefined} heartReason
                 * @memberof wavepose.internal.v1.Vitals
                 * @instance
                 */
                Vitals.prototype.heartReason = null;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Vitals.prototype, "_breathingRateBpm", {
                    get: $util.oneOfGetter($oneOfFields = ["breathingRateBpm"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Vitals.prototype, "_breathingReason", {
                    get: $util.oneOfGetter($oneOfFields = ["breathingReason"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Vitals.prototype, "_heartRateBpm", {
                    get: $util.oneOfGetter($oneOfFields = ["heartRateBpm"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Vitals.prototype, "_heartReason", {
                    get: $util.oneOfGetter($oneOfFields = ["heartReason"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new Vitals instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Vitals
                 * @static
                 * @param {wavepose.internal.v1.Vitals.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Vitals} Vitals instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Vitals.$Shape): wavepose.internal.v1.Vitals & wavepose.internal.v1.Vitals.$Shape;
                 *   (properties?: wavepose.internal.v1.Vitals.$Properties): wavepose.internal.v1.Vitals;
                 * }}
                 */
                Vitals.create = function(properties) {
                    return new Vitals(properties);
                };

                /**
                 * Encodes the specified Vitals message. Does not implicitly {@link wavepose.internal.v1.Vitals.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Vitals
                 * @static
                 * @param {wavepose.internal.v1.Vitals.$Properties} message Vitals message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Vitals.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.breathingRateBpm != null && $Object.hasOwnProperty.call(message, "breathingRateBpm"))
                        writer.uint32(/* id 1, wireType 1 =*/9).double(message.breathingRateBpm);
                    if (message.breathingConfidence != null && $Object.hasOwnProperty.call(message, "breathingConfidence") && !$Object.is(message.breathingConfidence, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.breathingConfidence);
                    if (message.breathingReason != null && $Object.hasOwnProperty.call(message, "breathingReason"))
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.breathingReason);
                    if (message.heartRateBpm != null && $Object.hasOwnProperty.call(message, "heartRateBpm"))
                        writer.uint32(/* id 4, wireType 1 =*/33).double(message.heartRateBpm);
                    if (message.heartReason != null && $Object.hasOwnProperty.call(message, "heartReason"))
                        writer.uint32(/* id 5, wireType 2 =*/42).string(message.heartReason);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a Vitals message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Vitals
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Vitals & wavepose.internal.v1.Vitals.$Shape} Vitals
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Vitals.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Vitals();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 1)
                                    break;
                                message.breathingRateBpm = reader.double();
                                message._breathingRateBpm = "breathingRateBpm";
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.breathingConfidence = value;
                                else
                                    delete message.breathingConfidence;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 2)
                                    break;
                                message.breathingReason = reader.stringVerify();
                                message._breathingReason = "breathingReason";
                                continue;
                            }
                        case 4: {
                                if (wireType !== 1)
                                    break;
                                message.heartRateBpm = reader.double();
                                message._heartRateBpm = "heartRateBpm";
                                continue;
                            }
                        case 5: {
                                if (wireType !== 2)
                                    break;
                                message.heartReason = reader.stringVerify();
                                message._heartReason = "heartReason";
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Vitals;
            })();

            v1.View = (function() {

                /**
                 * Properties of a View.
                 * @typedef {Object} wavepose.internal.v1.View.$Properties
                 * @property {string|null} [lookingAlong] View lookingAlong
                 * @property {number|null} [widthM] View widthM
                 * @property {number|null} [heightM] View heightM
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a View.
                 * @memberof wavepose.internal.v1
                 * @interface IView
                 * @augments wavepose.internal.v1.View.$Properties
                 * @deprecated Use wavepose.internal.v1.View.$Properties instead.
                 */

                /**
                 * Shape of a View.
                 * @typedef {wavepose.internal.v1.View.$Properties} wavepose.internal.v1.View.$Shape
                 */

                /**
                 * Constructs a new View.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a View.
                 * @constructor
                 * @param {wavepose.internal.v1.View.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const View = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * View lookingAlong.
                 * @member {string} lookingAlong
                 * @memberof wavepose.internal.v1.View
                 * @instance
                 */
                View.prototype.lookingAlong = "";

                /**
                 * View widthM.
                 * @member {number} widthM
                 * @memberof wavepose.internal.v1.View
                 * @instance
                 */
                View.prototype.widthM = 0;

                /**
                 * View heightM.
                 * @member {number} heightM
                 * @memberof wavepose.internal.v1.View
                 * @instance
                 */
                View.prototype.heightM = 0;

                /**
                 * Creates a new View instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.View
                 * @static
                 * @param {wavepose.internal.v1.View.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.View} View instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.View.$Shape): wavepose.internal.v1.View & wavepose.internal.v1.View.$Shape;
                 *   (properties?: wavepose.internal.v1.View.$Properties): wavepose.internal.v1.View;
                 * }}
                 */
                View.create = function(properties) {
                    return new View(properties);
                };

                /**
                 * Encodes the specified View message. Does not implicitly {@link wavepose.internal.v1.View.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.View
                 * @static
                 * @param {wavepose.internal.v1.View.$Properties} message View message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                View.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.lookingAlong != null && $Object.hasOwnProperty.call(message, "lookingAlong") && message.lookingAlong !== "")
                        writer.uint32(/* id 1, wireType 2 =*/10).string(message.lookingAlong);
                    if (message.widthM != null && $Object.hasOwnProperty.call(message, "widthM") && !$Object.is(message.widthM, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.widthM);
                    if (message.heightM != null && $Object.hasOwnProperty.call(message, "heightM") && !$Object.is(message.heightM, 0))
                        writer.uint32(/* id 3, wireType 1 =*/25).double(message.heightM);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a View message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.View
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.View & wavepose.internal.v1.View.$Shape} View
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                View.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.View();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.lookingAlong = value;
                                else
                                    delete message.lookingAlong;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.widthM = value;
                                else
                                    delete message.widthM;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.heightM = value;
                                else
                                    delete message.heightM;
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return View;
            })();

            v1.Provenance = (function() {

                /**
                 * Properties of a Provenance.
                 * @typedef {Object} wavepose.internal.v1.Provenance.$Properties
                 * @property {wavepose.v1.Source|null} [source] Provenance source
                 * @property {boolean|null} [calibrated] Provenance calibrated
                 * @property {string|null} [modelVersion] Provenance modelVersion
                 * @property {number|null} [linksUsed] Provenance linksUsed
                 * @property {number|null} [clockOffsetMs] Provenance clockOffsetMs
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a Provenance.
                 * @memberof wavepose.internal.v1
                 * @interface IProvenance
                 * @augments wavepose.internal.v1.Provenance.$Properties
                 * @deprecated Use wavepose.internal.v1.Provenance.$Properties instead.
                 */

                /**
                 * Shape of a Provenance.
                 * @typedef {wavepose.internal.v1.Provenance.$Properties} wavepose.internal.v1.Provenance.$Shape
                 */

                /**
                 * Constructs a new Provenance.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a Provenance.
                 * @constructor
                 * @param {wavepose.internal.v1.Provenance.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Provenance = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Provenance source.
                 * @member {wavepose.v1.Source} source
                 * @memberof wavepose.internal.v1.Provenance
                 * @instance
                 */
                Provenance.prototype.source = 0;

                /**
                 * Provenance calibrated.
                 * @member {boolean} calibrated
                 * @memberof wavepose.internal.v1.Provenance
                 * @instance
                 */
                Provenance.prototype.calibrated = false;

                /**
                 * Provenance modelVersion.
                 * @member {string} modelVersion
                 * @memberof wavepose.internal.v1.Provenance
                 * @instance
                 */
                Provenance.prototype.modelVersion = "";

                /**
                 * Provenance linksUsed.
                 * @member {number} linksUsed
                 * @memberof wavepose.internal.v1.Provenance
                 * @instance
                 */
                Provenance.prototype.linksUsed = 0;

                /**
                 * Provenance clockOffsetMs.
                 * @member {number|null|undefined} clockOffsetMs
                 * @memberof wavepose.internal.v1.Provenance
                 * @instance
                 */
                Provenance.prototype.clockOffsetMs = null;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(Provenance.prototype, "_clockOffsetMs", {
                    get: $util.oneOfGetter($oneOfFields = ["clockOffsetMs"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new Provenance instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Provenance
                 * @static
                 * @param {wavepose.internal.v1.Provenance.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Provenance} Provenance instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Provenance.$Shape): wavepose.internal.v1.Provenance & wavepose.internal.v1.Provenance.$Shape;
                 *   (properties?: wavepose.internal.v1.Provenance.$Properties): wavepose.internal.v1.Provenance;
                 * }}
                 */
                Provenance.create = function(properties) {
                    return new Provenance(properties);
                };

                /**
                 * Encodes the specified Provenance message. Does not implicitly {@link wavepose.internal.v1.Provenance.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Provenance
                 * @static
                 * @param {wavepose.internal.v1.Provenance.$Properties} message Provenance message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Provenance.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.source != null && $Object.hasOwnProperty.call(message, "source") && message.source !== 0)
                        writer.uint32(/* id 1, wireType 0 =*/8).int32(message.source);
                    if (message.calibrated != null && $Object.hasOwnProperty.call(message, "calibrated") && message.calibrated !== false)
                        writer.uint32(/* id 2, wireType 0 =*/16).bool(message.calibrated);
                    if (message.modelVersion != null && $Object.hasOwnProperty.call(message, "modelVersion") && message.modelVersion !== "")
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.modelVersion);
                    if (message.linksUsed != null && $Object.hasOwnProperty.call(message, "linksUsed") && message.linksUsed !== 0)
                        writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.linksUsed);
                    if (message.clockOffsetMs != null && $Object.hasOwnProperty.call(message, "clockOffsetMs"))
                        writer.uint32(/* id 5, wireType 1 =*/41).double(message.clockOffsetMs);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a Provenance message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Provenance
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Provenance & wavepose.internal.v1.Provenance.$Shape} Provenance
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Provenance.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Provenance();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.int32())
                                    message.source = value;
                                else
                                    delete message.source;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.bool())
                                    message.calibrated = value;
                                else
                                    delete message.calibrated;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.modelVersion = value;
                                else
                                    delete message.modelVersion;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.linksUsed = value;
                                else
                                    delete message.linksUsed;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 1)
                                    break;
                                message.clockOffsetMs = reader.double();
                                message._clockOffsetMs = "clockOffsetMs";
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Provenance;
            })();

            v1.PoseFrame = (function() {

                /**
                 * Properties of a PoseFrame.
                 * @typedef {Object} wavepose.internal.v1.PoseFrame.$Properties
                 * @property {string|null} [environmentId] PoseFrame environmentId
                 * @property {number|null} [frameId] PoseFrame frameId
                 * @property {number|null} [timestampMs] PoseFrame timestampMs
                 * @property {number|null} [processingTimeMs] PoseFrame processingTimeMs
                 * @property {Array.<wavepose.internal.v1.Person.$Properties>|null} [persons] PoseFrame persons
                 * @property {number|null} [routerCount] PoseFrame routerCount
                 * @property {number|null} [signalQuality] PoseFrame signalQuality
                 * @property {string|null} [processingPipeline] PoseFrame processingPipeline
                 * @property {string|null} [processingMode] PoseFrame processingMode
                 * @property {wavepose.internal.v1.Presence.$Properties|null} [presence] PoseFrame presence
                 * @property {number|null} [motion] PoseFrame motion
                 * @property {Array.<string>|null} [capabilities] PoseFrame capabilities
                 * @property {string|null} [personsReason] PoseFrame personsReason
                 * @property {wavepose.internal.v1.View.$Properties|null} [view] PoseFrame view
                 * @property {wavepose.internal.v1.Provenance.$Properties|null} [provenance] PoseFrame provenance
                 * @property {wavepose.internal.v1.Vitals.$Properties|null} [vitals] PoseFrame vitals
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a PoseFrame.
                 * @memberof wavepose.internal.v1
                 * @interface IPoseFrame
                 * @augments wavepose.internal.v1.PoseFrame.$Properties
                 * @deprecated Use wavepose.internal.v1.PoseFrame.$Properties instead.
                 */

                /**
                 * Shape of a PoseFrame.
                 * @typedef {wavepose.internal.v1.PoseFrame.$Properties} wavepose.internal.v1.PoseFrame.$Shape
                 */

                /**
                 * Constructs a new PoseFrame.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a PoseFrame.
                 * @constructor
                 * @param {wavepose.internal.v1.PoseFrame.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const PoseFrame = function (properties) {
                    this.persons = [];
                    this.capabilities = [];
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * PoseFrame environmentId.
                 * @member {string} environmentId
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.environmentId = "";

                /**
                 * PoseFrame frameId.
                 * @member {number} frameId
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.frameId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

                /**
                 * PoseFrame timestampMs.
                 * @member {number} timestampMs
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.timestampMs = 0;

                /**
                 * PoseFrame processingTimeMs.
                 * @member {number} processingTimeMs
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.processingTimeMs = 0;

                /**
                 * PoseFrame persons.
                 * @member {Array.<wavepose.internal.v1.Person.$Properties>} persons
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.persons = $util.emptyArray;

                /**
                 * PoseFrame routerCount.
                 * @member {number} routerCount
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.routerCount = 0;

                /**
                 * PoseFrame signalQuality.
                 * @member {number|null|undefined} signalQuality
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.signalQuality = null;

                /**
                 * PoseFrame processingPipeline.
                 * @member {string} processingPipeline
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.processingPipeline = "";

                /**
                 * PoseFrame processingMode.
                 * @member {string} processingMode
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.processingMode = "";

                /**
                 * PoseFrame presence.
                 * @member {wavepose.internal.v1.Presence.$Properties|null|undefined} presence
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.presence = null;

                /**
                 * PoseFrame motion.
                 * @member {number|null|undefined} motion
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.motion = null;

                /**
                 * PoseFrame capabilities.
                 * @member {Array.<string>} capabilities
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.capabilities = $util.emptyArray;

                /**
                 * PoseFrame personsReason.
                 * @member {string|null|undefined} personsReason
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.personsReason = null;

                /**
                 * PoseFrame view.
                 * @member {wavepose.internal.v1.View.$Properties|null|undefined} view
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.view = null;

                /**
                 * PoseFrame provenance.
                 * @member {wavepose.internal.v1.Provenance.$Properties|null|undefined} provenance
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.provenance = null;

                /**
                 * PoseFrame vitals.
                 * @member {wavepose.internal.v1.Vitals.$Properties|null|undefined} vitals
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @instance
                 */
                PoseFrame.prototype.vitals = null;

                // OneOf field names bound to virtual getters and setters
                let $oneOfFields;

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(PoseFrame.prototype, "_signalQuality", {
                    get: $util.oneOfGetter($oneOfFields = ["signalQuality"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(PoseFrame.prototype, "_motion", {
                    get: $util.oneOfGetter($oneOfFields = ["motion"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                // Virtual OneOf for proto3 optional field
                $Object.defineProperty(PoseFrame.prototype, "_personsReason", {
                    get: $util.oneOfGetter($oneOfFields = ["personsReason"]),
                    set: $util.oneOfSetter($oneOfFields)
                });

                /**
                 * Creates a new PoseFrame instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @static
                 * @param {wavepose.internal.v1.PoseFrame.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.PoseFrame} PoseFrame instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.PoseFrame.$Shape): wavepose.internal.v1.PoseFrame & wavepose.internal.v1.PoseFrame.$Shape;
                 *   (properties?: wavepose.internal.v1.PoseFrame.$Properties): wavepose.internal.v1.PoseFrame;
                 * }}
                 */
                PoseFrame.create = function(properties) {
                    return new PoseFrame(properties);
                };

                /**
                 * Encodes the specified PoseFrame message. Does not implicitly {@link wavepose.internal.v1.PoseFrame.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @static
                 * @param {wavepose.internal.v1.PoseFrame.$Properties} message PoseFrame message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                PoseFrame.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.environmentId != null && $Object.hasOwnProperty.call(message, "environmentId") && message.environmentId !== "")
                        writer.uint32(/* id 1, wireType 2 =*/10).string(message.environmentId);
                    if (message.frameId != null && $Object.hasOwnProperty.call(message, "frameId") && (typeof message.frameId === "object" ? message.frameId.low || message.frameId.high : message.frameId !== 0))
                        writer.uint32(/* id 2, wireType 0 =*/16).uint64(message.frameId);
                    if (message.timestampMs != null && $Object.hasOwnProperty.call(message, "timestampMs") && !$Object.is(message.timestampMs, 0))
                        writer.uint32(/* id 3, wireType 1 =*/25).double(message.timestampMs);
                    if (message.processingTimeMs != null && $Object.hasOwnProperty.call(message, "processingTimeMs") && !$Object.is(message.processingTimeMs, 0))
                        writer.uint32(/* id 4, wireType 1 =*/33).double(message.processingTimeMs);
                    if (message.persons != null && message.persons.length)
                        for (let i = 0; i < message.persons.length; ++i)
                            $root.wavepose.internal.v1.Person.encode(message.persons[i], writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                    if (message.routerCount != null && $Object.hasOwnProperty.call(message, "routerCount") && message.routerCount !== 0)
                        writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.routerCount);
                    if (message.signalQuality != null && $Object.hasOwnProperty.call(message, "signalQuality"))
                        writer.uint32(/* id 7, wireType 1 =*/57).double(message.signalQuality);
                    if (message.processingPipeline != null && $Object.hasOwnProperty.call(message, "processingPipeline") && message.processingPipeline !== "")
                        writer.uint32(/* id 8, wireType 2 =*/66).string(message.processingPipeline);
                    if (message.processingMode != null && $Object.hasOwnProperty.call(message, "processingMode") && message.processingMode !== "")
                        writer.uint32(/* id 9, wireType 2 =*/74).string(message.processingMode);
                    if (message.presence != null && $Object.hasOwnProperty.call(message, "presence"))
                        $root.wavepose.internal.v1.Presence.encode(message.presence, writer.uint32(/* id 10, wireType 2 =*/82).fork(), _depth + 1).ldelim();
                    if (message.motion != null && $Object.hasOwnProperty.call(message, "motion"))
                        writer.uint32(/* id 11, wireType 1 =*/89).double(message.motion);
                    if (message.capabilities != null && message.capabilities.length)
                        for (let i = 0; i < message.capabilities.length; ++i)
                            writer.uint32(/* id 12, wireType 2 =*/98).string(message.capabilities[i]);
                    if (message.personsReason != null && $Object.hasOwnProperty.call(message, "personsReason"))
                        writer.uint32(/* id 13, wireType 2 =*/106).string(message.personsReason);
                    if (message.view != null && $Object.hasOwnProperty.call(message, "view"))
                        $root.wavepose.internal.v1.View.encode(message.view, writer.uint32(/* id 14, wireType 2 =*/114).fork(), _depth + 1).ldelim();
                    if (message.provenance != null && $Object.hasOwnProperty.call(message, "provenance"))
                        $root.wavepose.internal.v1.Provenance.encode(message.provenance, writer.uint32(/* id 15, wireType 2 =*/122).fork(), _depth + 1).ldelim();
                    if (message.vitals != null && $Object.hasOwnProperty.call(message, "vitals"))
                        $root.wavepose.internal.v1.Vitals.encode(message.vitals, writer.uint32(/* id 16, wireType 2 =*/130).fork(), _depth + 1).ldelim();
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a PoseFrame message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.PoseFrame
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.PoseFrame & wavepose.internal.v1.PoseFrame.$Shape} PoseFrame
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                PoseFrame.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.PoseFrame();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.environmentId = value;
                                else
                                    delete message.environmentId;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 0)
                                    break;
                                if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                    message.frameId = value;
                                else
                                    delete message.frameId;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.timestampMs = value;
                                else
                                    delete message.timestampMs;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.processingTimeMs = value;
                                else
                                    delete message.processingTimeMs;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 2)
                                    break;
                                if (!(message.persons && message.persons.length))
                                    message.persons = [];
                                message.persons.push($root.wavepose.internal.v1.Person.decode(reader, reader.size(), $undefined, _depth + 1));
                                continue;
                            }
                        case 6: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.routerCount = value;
                                else
                                    delete message.routerCount;
                                continue;
                            }
                        case 7: {
                                if (wireType !== 1)
                                    break;
                                message.signalQuality = reader.double();
                                message._signalQuality = "signalQuality";
                                continue;
                            }
                        case 8: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.processingPipeline = value;
                                else
                                    delete message.processingPipeline;
                                continue;
                            }
                        case 9: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.processingMode = value;
                                else
                                    delete message.processingMode;
                                continue;
                            }
                        case 10: {
                                if (wireType !== 2)
                                    break;
                                message.presence = $root.wavepose.internal.v1.Presence.decode(reader, reader.size(), $undefined, _depth + 1, message.presence);
                                continue;
                            }
                        case 11: {
                                if (wireType !== 1)
                                    break;
                                message.motion = reader.double();
                                message._motion = "motion";
                                continue;
                            }
                        case 12: {
                                if (wireType !== 2)
                                    break;
                                if (!(message.capabilities && message.capabilities.length))
                                    message.capabilities = [];
                                message.capabilities.push(reader.stringVerify());
                                continue;
                            }
                        case 13: {
                                if (wireType !== 2)
                                    break;
                                message.personsReason = reader.stringVerify();
                                message._personsReason = "personsReason";
                                continue;
                            }
                        case 14: {
                                if (wireType !== 2)
                                    break;
                                message.view = $root.wavepose.internal.v1.View.decode(reader, reader.size(), $undefined, _depth + 1, message.view);
                                continue;
                            }
                        case 15: {
                                if (wireType !== 2)
                                    break;
                                message.provenance = $root.wavepose.internal.v1.Provenance.decode(reader, reader.size(), $undefined, _depth + 1, message.provenance);
                                continue;
                            }
                        case 16: {
                                if (wireType !== 2)
                                    break;
                                message.vitals = $root.wavepose.internal.v1.Vitals.decode(reader, reader.size(), $undefined, _depth + 1, message.vitals);
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return PoseFrame;
            })();

            v1.CalibrationSide = (function() {

                /**
                 * Properties of a CalibrationSide.
                 * @typedef {Object} wavepose.internal.v1.CalibrationSide.$Properties
                 * @property {number|null} [residual] CalibrationSide residual
                 * @property {number|null} [blocks] CalibrationSide blocks
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a CalibrationSide.
                 * @memberof wavepose.internal.v1
                 * @interface ICalibrationSide
                 * @augments wavepose.internal.v1.CalibrationSide.$Properties
                 * @deprecated Use wavepose.internal.v1.CalibrationSide.$Properties instead.
                 */

                /**
                 * Shape of a CalibrationSide.
                 * @typedef {wavepose.internal.v1.CalibrationSide.$Properties} wavepose.internal.v1.CalibrationSide.$Shape
                 */

                /**
                 * Constructs a new CalibrationSide.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a CalibrationSide.
                 * @constructor
                 * @param {wavepose.internal.v1.CalibrationSide.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const CalibrationSide = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * CalibrationSide residual.
                 * @member {number} residual
                 * @memberof wavepose.internal.v1.CalibrationSide
                 * @instance
                 */
                CalibrationSide.prototype.residual = 0;

                /**
                 * CalibrationSide blocks.
                 * @member {number} blocks
                 * @memberof wavepose.internal.v1.CalibrationSide
                 * @instance
                 */
                CalibrationSide.prototype.blocks = 0;

                /**
                 * Creates a new CalibrationSide instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.CalibrationSide
                 * @static
                 * @param {wavepose.internal.v1.CalibrationSide.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.CalibrationSide} CalibrationSide instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.CalibrationSide.$Shape): wavepose.internal.v1.CalibrationSide & wavepose.internal.v1.CalibrationSide.$Shape;
                 *   (properties?: wavepose.internal.v1.CalibrationSide.$Properties): wavepose.internal.v1.CalibrationSide;
                 * }}
                 */
                CalibrationSide.create = function(properties) {
                    return new CalibrationSide(properties);
                };

                /**
                 * Encodes the specified CalibrationSide message. Does not implicitly {@link wavepose.internal.v1.CalibrationSide.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.CalibrationSide
                 * @static
                 * @param {wavepose.internal.v1.CalibrationSide.$Properties} message CalibrationSide message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                CalibrationSide.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.residual != null && $Object.hasOwnProperty.call(message, "residual") && !$Object.is(message.residual, 0))
                        writer.uint32(/* id 1, wireType 1 =*/9).double(message.residual);
                    if (message.blocks != null && $Object.hasOwnProperty.call(message, "blocks") && message.blocks !== 0)
                        writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.blocks);
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a CalibrationSide message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.CalibrationSide
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.CalibrationSide & wavepose.internal.v1.CalibrationSide.$Shape} CalibrationSide
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                CalibrationSide.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.CalibrationSide();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.residual = value;
                                else
                                    delete message.residual;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.blocks = value;
                                else
                                    delete message.blocks;
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return CalibrationSide;
            })();

            v1.LinkCalibration = (function() {

                /**
                 * Properties of a LinkCalibration.
                 * @typedef {Object} wavepose.internal.v1.LinkCalibration.$Properties
                 * @property {number|null} [version] LinkCalibration version
                 * @property {number|null} [takenAtUs] LinkCalibration takenAtUs
                 * @property {wavepose.internal.v1.CalibrationSide.$Properties|null} [empty] LinkCalibration empty
                 * @property {wavepose.internal.v1.CalibrationSide.$Properties|null} [occupied] LinkCalibration occupied
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a LinkCalibration.
                 * @memberof wavepose.internal.v1
                 * @interface ILinkCalibration
                 * @augments wavepose.internal.v1.LinkCalibration.$Properties
                 * @deprecated Use wavepose.internal.v1.LinkCalibration.$Properties instead.
                 */

                /**
                 * Shape of a LinkCalibration.
                 * @typedef {wavepose.internal.v1.LinkCalibration.$Properties} wavepose.internal.v1.LinkCalibration.$Shape
                 */

                /**
                 * Constructs a new LinkCalibration.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a LinkCalibration.
                 * @constructor
                 * @param {wavepose.internal.v1.LinkCalibration.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const LinkCalibration = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * LinkCalibration version.
                 * @member {number} version
                 * @memberof wavepose.internal.v1.LinkCalibration
                 * @instance
                 */
                LinkCalibration.prototype.version = 0;

                /**
                 * LinkCalibration takenAtUs.
                 * @member {number} takenAtUs
                 * @memberof wavepose.internal.v1.LinkCalibration
                 * @instance
                 */
                LinkCalibration.prototype.takenAtUs = 0;

                /**
                 * LinkCalibration empty.
                 * @member {wavepose.internal.v1.CalibrationSide.$Properties|null|undefined} empty
                 * @memberof wavepose.internal.v1.LinkCalibration
                 * @instance
                 */
                LinkCalibration.prototype.empty = null;

                /**
                 * LinkCalibration occupied.
                 * @member {wavepose.internal.v1.CalibrationSide.$Properties|null|undefined} occupied
                 * @memberof wavepose.internal.v1.LinkCalibration
                 * @instance
                 */
                LinkCalibration.prototype.occupied = null;

                /**
                 * Creates a new LinkCalibration instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.LinkCalibration
                 * @static
                 * @param {wavepose.internal.v1.LinkCalibration.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.LinkCalibration} LinkCalibration instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.LinkCalibration.$Shape): wavepose.internal.v1.LinkCalibration & wavepose.internal.v1.LinkCalibration.$Shape;
                 *   (properties?: wavepose.internal.v1.LinkCalibration.$Properties): wavepose.internal.v1.LinkCalibration;
                 * }}
                 */
                LinkCalibration.create = function(properties) {
                    return new LinkCalibration(properties);
                };

                /**
                 * Encodes the specified LinkCalibration message. Does not implicitly {@link wavepose.internal.v1.LinkCalibration.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.LinkCalibration
                 * @static
                 * @param {wavepose.internal.v1.LinkCalibration.$Properties} message LinkCalibration message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                LinkCalibration.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.version != null && $Object.hasOwnProperty.call(message, "version") && message.version !== 0)
                        writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.version);
                    if (message.takenAtUs != null && $Object.hasOwnProperty.call(message, "takenAtUs") && !$Object.is(message.takenAtUs, 0))
                        writer.uint32(/* id 2, wireType 1 =*/17).double(message.takenAtUs);
                    if (message.empty != null && $Object.hasOwnProperty.call(message, "empty"))
                        $root.wavepose.internal.v1.CalibrationSide.encode(message.empty, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                    if (message.occupied != null && $Object.hasOwnProperty.call(message, "occupied"))
                        $root.wavepose.internal.v1.CalibrationSide.encode(message.occupied, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a LinkCalibration message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.LinkCalibration
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.LinkCalibration & wavepose.internal.v1.LinkCalibration.$Shape} LinkCalibration
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                LinkCalibration.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.LinkCalibration();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.version = value;
                                else
                                    delete message.version;
                                continue;
                            }
                        case 2: {
                                if (wireType !== 1)
                                    break;
                                if (!$Object.is(value = reader.double(), 0))
                                    message.takenAtUs = value;
                                else
                                    delete message.takenAtUs;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 2)
                                    break;
                                message.empty = $root.wavepose.internal.v1.CalibrationSide.decode(reader, reader.size(), $undefined, _depth + 1, message.empty);
                                continue;
                            }
                        case 4: {
                                if (wireType !== 2)
                                    break;
                                message.occupied = $root.wavepose.internal.v1.CalibrationSide.decode(reader, reader.size(), $undefined, _depth + 1, message.occupied);
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return LinkCalibration;
            })();

            v1.Reference = (function() {

                /**
                 * Properties of a Reference.
                 * @typedef {Object} wavepose.internal.v1.Reference.$Properties
                 * @property {string|null} [transmitterId] Reference transmitterId
                 * @property {number|null} [hops] Reference hops
                 * @property {Uint8Array|null} [response] Reference response
                 * @property {wavepose.v1.RadioLayout.$Properties|null} [layout] Reference layout
                 * @property {wavepose.internal.v1.LinkCalibration.$Properties|null} [calibration] Reference calibration
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a Reference.
                 * @memberof wavepose.internal.v1
                 * @interface IReference
                 * @augments wavepose.internal.v1.Reference.$Properties
                 * @deprecated Use wavepose.internal.v1.Reference.$Properties instead.
                 */

                /**
                 * Shape of a Reference.
                 * @typedef {wavepose.internal.v1.Reference.$Properties} wavepose.internal.v1.Reference.$Shape
                 */

                /**
                 * Constructs a new Reference.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a Reference.
                 * @constructor
                 * @param {wavepose.internal.v1.Reference.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const Reference = function (properties) {
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * Reference transmitterId.
                 * @member {string} transmitterId
                 * @memberof wavepose.internal.v1.Reference
                 * @instance
                 */
                Reference.prototype.transmitterId = "";

                /**
                 * Reference hops.
                 * @member {number} hops
                 * @memberof wavepose.internal.v1.Reference
                 * @instance
                 */
                Reference.prototype.hops = 0;

                /**
                 * Reference response.
                 * @member {Uint8Array} response
                 * @memberof wavepose.internal.v1.Reference
                 * @instance
                 */
                Reference.prototype.response = $util.newBuffer([]);

                /**
                 * Reference layout.
                 * @member {wavepose.v1.RadioLayout.$Properties|null|undefined} layout
                 * @memberof wavepose.internal.v1.Reference
                 * @instance
                 */
                Reference.prototype.layout = null;

                /**
                 * Reference calibration.
                 * @member {wavepose.internal.v1.LinkCalibration.$Properties|null|undefined} calibration
                 * @memberof wavepose.internal.v1.Reference
                 * @instance
                 */
                Reference.prototype.calibration = null;

                /**
                 * Creates a new Reference instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.Reference
                 * @static
                 * @param {wavepose.internal.v1.Reference.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.Reference} Reference instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.Reference.$Shape): wavepose.internal.v1.Reference & wavepose.internal.v1.Reference.$Shape;
                 *   (properties?: wavepose.internal.v1.Reference.$Properties): wavepose.internal.v1.Reference;
                 * }}
                 */
                Reference.create = function(properties) {
                    return new Reference(properties);
                };

                /**
                 * Encodes the specified Reference message. Does not implicitly {@link wavepose.internal.v1.Reference.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.Reference
                 * @static
                 * @param {wavepose.internal.v1.Reference.$Properties} message Reference message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                Reference.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.transmitterId != null && $Object.hasOwnProperty.call(message, "transmitterId") && message.transmitterId !== "")
                        writer.uint32(/* id 1, wireType 2 =*/10).string(message.transmitterId);
                    if (message.hops != null && $Object.hasOwnProperty.call(message, "hops") && message.hops !== 0)
                        writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.hops);
                    if (message.response != null && $Object.hasOwnProperty.call(message, "response") && message.response.length)
                        writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.response);
                    if (message.layout != null && $Object.hasOwnProperty.call(message, "layout"))
                        $root.wavepose.v1.RadioLayout.encode(message.layout, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                    if (message.calibration != null && $Object.hasOwnProperty.call(message, "calibration"))
                        $root.wavepose.internal.v1.LinkCalibration.encode(message.calibration, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a Reference message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.Reference
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Reference & wavepose.internal.v1.Reference.$Shape} Reference
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                Reference.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message, value;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.Reference();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.stringVerify()).length)
                                    message.transmitterId = value;
                                else
                                    delete message.transmitterId;
                                continue;
                            }
                        case 3: {
                                if (wireType !== 0)
                                    break;
                                if (value = reader.uint32())
                                    message.hops = value;
                                else
                                    delete message.hops;
                                continue;
                            }
                        case 4: {
                                if (wireType !== 2)
                                    break;
                                if ((value = reader.bytes()).length)
                                    message.response = value;
                                else
                                    delete message.response;
                                continue;
                            }
                        case 5: {
                                if (wireType !== 2)
                                    break;
                                message.layout = $root.wavepose.v1.RadioLayout.decode(reader, reader.size(), $undefined, _depth + 1, message.layout);
                                continue;
                            }
                        case 6: {
                                if (wireType !== 2)
                                    break;
                                message.calibration = $root.wavepose.internal.v1.LinkCalibration.decode(reader, reader.size(), $undefined, _depth + 1, message.calibration);
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return Reference;
            })();

            v1.References = (function() {

                /**
                 * Properties of a References.
                 * @typedef {Object} wavepose.internal.v1.References.$Properties
                 * @property {Array.<wavepose.internal.v1.Reference.$Properties>|null} [references] References references
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */

                /**
                 * Properties of a References.
                 * @memberof wavepose.internal.v1
                 * @interface IReferences
                 * @augments wavepose.internal.v1.References.$Properties
                 * @deprecated Use wavepose.internal.v1.References.$Properties instead.
                 */

                /**
                 * Shape of a References.
                 * @typedef {wavepose.internal.v1.References.$Properties} wavepose.internal.v1.References.$Shape
                 */

                /**
                 * Constructs a new References.
                 * @memberof wavepose.internal.v1
                 * @classdesc Represents a References.
                 * @constructor
                 * @param {wavepose.internal.v1.References.$Properties=} [properties] Properties to set
                 * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
                 */
                const References = function (properties) {
                    this.references = [];
                    if (properties)
                        for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                            if (properties[keys[i]] != null && keys[i] !== "__proto__")
                                this[keys[i]] = properties[keys[i]];
                };

                /**
                 * References references.
                 * @member {Array.<wavepose.internal.v1.Reference.$Properties>} references
                 * @memberof wavepose.internal.v1.References
                 * @instance
                 */
                References.prototype.references = $util.emptyArray;

                /**
                 * Creates a new References instance using the specified properties.
                 * @function create
                 * @memberof wavepose.internal.v1.References
                 * @static
                 * @param {wavepose.internal.v1.References.$Properties=} [properties] Properties to set
                 * @returns {wavepose.internal.v1.References} References instance
                 * @type {{
                 *   (properties: wavepose.internal.v1.References.$Shape): wavepose.internal.v1.References & wavepose.internal.v1.References.$Shape;
                 *   (properties?: wavepose.internal.v1.References.$Properties): wavepose.internal.v1.References;
                 * }}
                 */
                References.create = function(properties) {
                    return new References(properties);
                };

                /**
                 * Encodes the specified References message. Does not implicitly {@link wavepose.internal.v1.References.verify|verify} messages.
                 * @function encode
                 * @memberof wavepose.internal.v1.References
                 * @static
                 * @param {wavepose.internal.v1.References.$Properties} message References message or plain object to encode
                 * @param {$protobuf.Writer} [writer] Writer to encode to
                 * @returns {$protobuf.Writer} Writer
                 */
                References.encode = function (message, writer, _depth) {
                    if (!writer)
                        writer = $Writer.create();
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $util.recursionLimit)
                        throw $Error("max depth exceeded");
                    if (message.references != null && message.references.length)
                        for (let i = 0; i < message.references.length; ++i)
                            $root.wavepose.internal.v1.Reference.encode(message.references[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                    if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                        for (let i = 0; i < message.$unknowns.length; ++i)
                            writer.raw(message.$unknowns[i]);
                    return writer;
                };

                /**
                 * Decodes a References message from the specified reader or buffer.
                 * @function decode
                 * @memberof wavepose.internal.v1.References
                 * @static
                 * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
                 * @param {number} [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.References & wavepose.internal.v1.References.$Shape} References
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                References.decode = function (reader, length, _end, _depth, _target) {
                    if (!(reader instanceof $Reader))
                        reader = $Reader.create(reader);
                    if (_depth === $undefined)
                        _depth = 0;
                    if (_depth > $Reader.recursionLimit)
                        throw $Error("max depth exceeded");
                    let end, message;
                    if (length === $undefined)
                        end = reader.len;
                    else {
                        end = reader.pos + length;
                        if (end > reader.len)
                            throw $RangeError("index out of range");
                        length = reader.len;
                        reader.len = end;
                    }
                    message = _target || new $root.wavepose.internal.v1.References();
                    while (reader.pos < end) {
                        let start = reader.pos;
                        let tag = reader.tag();
                        if (tag === _end) {
                            _end = $undefined;
                            break;
                        }
                        let wireType = tag & 7;
                        switch (tag >>>= 3) {
                        case 1: {
                                if (wireType !== 2)
                                    break;
                                if (!(message.references && message.references.length))
                                    message.references = [];
                                message.references.push($root.wavepose.internal.v1.Reference.decode(reader, reader.size(), $undefined, _depth + 1));
                                continue;
                            }
                        }
                        reader.skipType(wireType, _depth, tag);
                        if (!reader.discardUnknown) {
                            $util.makeProp(message, "$unknowns", false);
                            (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                        }
                    }
                    if (length !== $undefined) {
                        if (reader.pos !== end)
                            throw $RangeError("index out of range");
                        reader.len = length;
                    }
                    if (_end !== $undefined)
                        throw $Error("missing end group");
                    return message;
                };

                return References;
            })();

            return v1;
        })();

        return internal;
    })();

    return wavepose;
})();

export {
  $root as default
};
