import * as $protobuf from "protobufjs";
import Long = require("long");

/** Namespace wavepose. */
export namespace wavepose {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of a RecordCsiRequest.
         * @deprecated Use wavepose.v1.RecordCsiRequest.$Properties instead.
         */
        interface IRecordCsiRequest extends wavepose.v1.RecordCsiRequest.$Properties {
        }

        /** Represents a RecordCsiRequest. */
        class RecordCsiRequest {

            /**
             * Constructs a new RecordCsiRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.RecordCsiRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RecordCsiRequest environmentId. */
            environmentId?: (string|null);

            /**
             * Creates a new RecordCsiRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RecordCsiRequest instance
             */
            static create(properties: wavepose.v1.RecordCsiRequest.$Shape): wavepose.v1.RecordCsiRequest & wavepose.v1.RecordCsiRequest.$Shape;
            static create(properties?: wavepose.v1.RecordCsiRequest.$Properties): wavepose.v1.RecordCsiRequest;

            /**
             * Encodes the specified RecordCsiRequest message. Does not implicitly {@link wavepose.v1.RecordCsiRequest.verify|verify} messages.
             * @param message RecordCsiRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.RecordCsiRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RecordCsiRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.RecordCsiRequest & wavepose.v1.RecordCsiRequest.$Shape} RecordCsiRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.RecordCsiRequest & wavepose.v1.RecordCsiRequest.$Shape;
        }

        namespace RecordCsiRequest {

            /** Properties of a RecordCsiRequest. */
            interface $Properties {

                /** RecordCsiRequest environmentId */
                environmentId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RecordCsiRequest. */
            type $Shape = wavepose.v1.RecordCsiRequest.$Properties;
        }

        /**
         * Properties of a RecordCsiResponse.
         * @deprecated Use wavepose.v1.RecordCsiResponse.$Properties instead.
         */
        interface IRecordCsiResponse extends wavepose.v1.RecordCsiResponse.$Properties {
        }

        /** Represents a RecordCsiResponse. */
        class RecordCsiResponse {

            /**
             * Constructs a new RecordCsiResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.RecordCsiResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RecordCsiResponse environmentId. */
            environmentId: string;

            /** RecordCsiResponse routerIds. */
            routerIds: string[];

            /** RecordCsiResponse batch. */
            batch?: (wavepose.v1.CsiBatch.$Properties|null);

            /** RecordCsiResponse lostBatches. */
            lostBatches: number;

            /** RecordCsiResponse interruptions. */
            interruptions: number;

            /**
             * Creates a new RecordCsiResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RecordCsiResponse instance
             */
            static create(properties: wavepose.v1.RecordCsiResponse.$Shape): wavepose.v1.RecordCsiResponse & wavepose.v1.RecordCsiResponse.$Shape;
            static create(properties?: wavepose.v1.RecordCsiResponse.$Properties): wavepose.v1.RecordCsiResponse;

            /**
             * Encodes the specified RecordCsiResponse message. Does not implicitly {@link wavepose.v1.RecordCsiResponse.verify|verify} messages.
             * @param message RecordCsiResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.RecordCsiResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RecordCsiResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.RecordCsiResponse & wavepose.v1.RecordCsiResponse.$Shape} RecordCsiResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.RecordCsiResponse & wavepose.v1.RecordCsiResponse.$Shape;
        }

        namespace RecordCsiResponse {

            /** Properties of a RecordCsiResponse. */
            interface $Properties {

                /** RecordCsiResponse environmentId */
                environmentId?: (string|null);

                /** RecordCsiResponse routerIds */
                routerIds?: (string[]|null);

                /** RecordCsiResponse batch */
                batch?: (wavepose.v1.CsiBatch.$Properties|null);

                /** RecordCsiResponse lostBatches */
                lostBatches?: (number|null);

                /** RecordCsiResponse interruptions */
                interruptions?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RecordCsiResponse. */
            type $Shape = wavepose.v1.RecordCsiResponse.$Properties;
        }

        /** Source enum. */
        enum Source {

            /** SOURCE_UNSPECIFIED value */
            SOURCE_UNSPECIFIED = 0,

            /** SOURCE_LIVE value */
            SOURCE_LIVE = 1,

            /** SOURCE_REPLAY value */
            SOURCE_REPLAY = 2,

            /** SOURCE_SIMULATED value */
            SOURCE_SIMULATED = 3
        }

        /** SampleType enum. */
        enum SampleType {

            /** SAMPLE_TYPE_UNSPECIFIED value */
            SAMPLE_TYPE_UNSPECIFIED = 0,

            /** SAMPLE_TYPE_INT8 value */
            SAMPLE_TYPE_INT8 = 1,

            /** SAMPLE_TYPE_INT16 value */
            SAMPLE_TYPE_INT16 = 2,

            /** SAMPLE_TYPE_FLOAT32 value */
            SAMPLE_TYPE_FLOAT32 = 3
        }

        /**
         * Properties of a RadioLayout.
         * @deprecated Use wavepose.v1.RadioLayout.$Properties instead.
         */
        interface IRadioLayout extends wavepose.v1.RadioLayout.$Properties {
        }

        /** Represents a RadioLayout. */
        class RadioLayout {

            /**
             * Constructs a new RadioLayout.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.RadioLayout.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RadioLayout format. */
            format: string;

            /** RadioLayout receiveAntennas. */
            receiveAntennas: number;

            /** RadioLayout transmitAntennas. */
            transmitAntennas: number;

            /** RadioLayout subcarrierIndices. */
            subcarrierIndices: number[];

            /** RadioLayout subcarrierSpacingHz. */
            subcarrierSpacingHz: number;

            /** RadioLayout centerFrequencyHz. */
            centerFrequencyHz: number;

            /** RadioLayout bandwidthHz. */
            bandwidthHz: number;

            /**
             * Creates a new RadioLayout instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RadioLayout instance
             */
            static create(properties: wavepose.v1.RadioLayout.$Shape): wavepose.v1.RadioLayout & wavepose.v1.RadioLayout.$Shape;
            static create(properties?: wavepose.v1.RadioLayout.$Properties): wavepose.v1.RadioLayout;

            /**
             * Encodes the specified RadioLayout message. Does not implicitly {@link wavepose.v1.RadioLayout.verify|verify} messages.
             * @param message RadioLayout message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.RadioLayout.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RadioLayout message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.RadioLayout & wavepose.v1.RadioLayout.$Shape} RadioLayout
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.RadioLayout & wavepose.v1.RadioLayout.$Shape;
        }

        namespace RadioLayout {

            /** Properties of a RadioLayout. */
            interface $Properties {

                /** RadioLayout format */
                format?: (string|null);

                /** RadioLayout receiveAntennas */
                receiveAntennas?: (number|null);

                /** RadioLayout transmitAntennas */
                transmitAntennas?: (number|null);

                /** RadioLayout subcarrierIndices */
                subcarrierIndices?: (number[]|null);

                /** RadioLayout subcarrierSpacingHz */
                subcarrierSpacingHz?: (number|null);

                /** RadioLayout centerFrequencyHz */
                centerFrequencyHz?: (number|null);

                /** RadioLayout bandwidthHz */
                bandwidthHz?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RadioLayout. */
            type $Shape = wavepose.v1.RadioLayout.$Properties;
        }

        /**
         * Properties of a CsiBatch.
         * @deprecated Use wavepose.v1.CsiBatch.$Properties instead.
         */
        interface ICsiBatch extends wavepose.v1.CsiBatch.$Properties {
        }

        /** Represents a CsiBatch. */
        class CsiBatch {

            /**
             * Constructs a new CsiBatch.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.CsiBatch.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CsiBatch routerId. */
            routerId: string;

            /** CsiBatch batchSequence. */
            batchSequence: number;

            /** CsiBatch source. */
            source: wavepose.v1.Source;

            /** CsiBatch layout. */
            layout?: (wavepose.v1.RadioLayout.$Properties|null);

            /** CsiBatch frameCount. */
            frameCount: number;

            /** CsiBatch timestampsUs. */
            timestampsUs: Uint8Array;

            /** CsiBatch sequences. */
            sequences: Uint8Array;

            /** CsiBatch rssiDbm. */
            rssiDbm: Uint8Array;

            /** CsiBatch noiseFloorDbm. */
            noiseFloorDbm: Uint8Array;

            /** CsiBatch transmitterIndex. */
            transmitterIndex: Uint8Array;

            /** CsiBatch transmitterIds. */
            transmitterIds: string[];

            /** CsiBatch sampleType. */
            sampleType: wavepose.v1.SampleType;

            /** CsiBatch csi. */
            csi: Uint8Array;

            /**
             * Creates a new CsiBatch instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CsiBatch instance
             */
            static create(properties: wavepose.v1.CsiBatch.$Shape): wavepose.v1.CsiBatch & wavepose.v1.CsiBatch.$Shape;
            static create(properties?: wavepose.v1.CsiBatch.$Properties): wavepose.v1.CsiBatch;

            /**
             * Encodes the specified CsiBatch message. Does not implicitly {@link wavepose.v1.CsiBatch.verify|verify} messages.
             * @param message CsiBatch message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.CsiBatch.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CsiBatch message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.CsiBatch & wavepose.v1.CsiBatch.$Shape} CsiBatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.CsiBatch & wavepose.v1.CsiBatch.$Shape;
        }

        namespace CsiBatch {

            /** Properties of a CsiBatch. */
            interface $Properties {

                /** CsiBatch routerId */
                routerId?: (string|null);

                /** CsiBatch batchSequence */
                batchSequence?: (number|null);

                /** CsiBatch source */
                source?: (wavepose.v1.Source|null);

                /** CsiBatch layout */
                layout?: (wavepose.v1.RadioLayout.$Properties|null);

                /** CsiBatch frameCount */
                frameCount?: (number|null);

                /** CsiBatch timestampsUs */
                timestampsUs?: (Uint8Array|null);

                /** CsiBatch sequences */
                sequences?: (Uint8Array|null);

                /** CsiBatch rssiDbm */
                rssiDbm?: (Uint8Array|null);

                /** CsiBatch noiseFloorDbm */
                noiseFloorDbm?: (Uint8Array|null);

                /** CsiBatch transmitterIndex */
                transmitterIndex?: (Uint8Array|null);

                /** CsiBatch transmitterIds */
                transmitterIds?: (string[]|null);

                /** CsiBatch sampleType */
                sampleType?: (wavepose.v1.SampleType|null);

                /** CsiBatch csi */
                csi?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CsiBatch. */
            type $Shape = wavepose.v1.CsiBatch.$Properties;
        }

        /**
         * Properties of an IngestAck.
         * @deprecated Use wavepose.v1.IngestAck.$Properties instead.
         */
        interface IIngestAck extends wavepose.v1.IngestAck.$Properties {
        }

        /** Represents an IngestAck. */
        class IngestAck {

            /**
             * Constructs a new IngestAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.IngestAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** IngestAck batchSequence. */
            batchSequence: number;

            /** IngestAck acceptedFrames. */
            acceptedFrames: number;

            /** IngestAck droppedFrames. */
            droppedFrames: number;

            /** IngestAck reason. */
            reason: string;

            /** IngestAck errorCode. */
            errorCode: string;

            /** IngestAck credit. */
            credit: number;

            /** IngestAck nodeAddress. */
            nodeAddress: string;

            /**
             * Creates a new IngestAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns IngestAck instance
             */
            static create(properties: wavepose.v1.IngestAck.$Shape): wavepose.v1.IngestAck & wavepose.v1.IngestAck.$Shape;
            static create(properties?: wavepose.v1.IngestAck.$Properties): wavepose.v1.IngestAck;

            /**
             * Encodes the specified IngestAck message. Does not implicitly {@link wavepose.v1.IngestAck.verify|verify} messages.
             * @param message IngestAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.IngestAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an IngestAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.IngestAck & wavepose.v1.IngestAck.$Shape} IngestAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.IngestAck & wavepose.v1.IngestAck.$Shape;
        }

        namespace IngestAck {

            /** Properties of an IngestAck. */
            interface $Properties {

                /** IngestAck batchSequence */
                batchSequence?: (number|null);

                /** IngestAck acceptedFrames */
                acceptedFrames?: (number|null);

                /** IngestAck droppedFrames */
                droppedFrames?: (number|null);

                /** IngestAck reason */
                reason?: (string|null);

                /** IngestAck errorCode */
                errorCode?: (string|null);

                /** IngestAck credit */
                credit?: (number|null);

                /** IngestAck nodeAddress */
                nodeAddress?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an IngestAck. */
            type $Shape = wavepose.v1.IngestAck.$Properties;
        }

        /**
         * Properties of a WatchEdgeRequest.
         * @deprecated Use wavepose.v1.WatchEdgeRequest.$Properties instead.
         */
        interface IWatchEdgeRequest extends wavepose.v1.WatchEdgeRequest.$Properties {
        }

        /** Represents a WatchEdgeRequest. */
        class WatchEdgeRequest {

            /**
             * Constructs a new WatchEdgeRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.WatchEdgeRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new WatchEdgeRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WatchEdgeRequest instance
             */
            static create(properties: wavepose.v1.WatchEdgeRequest.$Shape): wavepose.v1.WatchEdgeRequest & wavepose.v1.WatchEdgeRequest.$Shape;
            static create(properties?: wavepose.v1.WatchEdgeRequest.$Properties): wavepose.v1.WatchEdgeRequest;

            /**
             * Encodes the specified WatchEdgeRequest message. Does not implicitly {@link wavepose.v1.WatchEdgeRequest.verify|verify} messages.
             * @param message WatchEdgeRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.WatchEdgeRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WatchEdgeRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.WatchEdgeRequest & wavepose.v1.WatchEdgeRequest.$Shape} WatchEdgeRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.WatchEdgeRequest & wavepose.v1.WatchEdgeRequest.$Shape;
        }

        namespace WatchEdgeRequest {

            /** Properties of a WatchEdgeRequest. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WatchEdgeRequest. */
            type $Shape = wavepose.v1.WatchEdgeRequest.$Properties;
        }

        /**
         * Properties of a ListEdgeRequest.
         * @deprecated Use wavepose.v1.ListEdgeRequest.$Properties instead.
         */
        interface IListEdgeRequest extends wavepose.v1.ListEdgeRequest.$Properties {
        }

        /** Represents a ListEdgeRequest. */
        class ListEdgeRequest {

            /**
             * Constructs a new ListEdgeRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.ListEdgeRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new ListEdgeRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListEdgeRequest instance
             */
            static create(properties: wavepose.v1.ListEdgeRequest.$Shape): wavepose.v1.ListEdgeRequest & wavepose.v1.ListEdgeRequest.$Shape;
            static create(properties?: wavepose.v1.ListEdgeRequest.$Properties): wavepose.v1.ListEdgeRequest;

            /**
             * Encodes the specified ListEdgeRequest message. Does not implicitly {@link wavepose.v1.ListEdgeRequest.verify|verify} messages.
             * @param message ListEdgeRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.ListEdgeRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListEdgeRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.ListEdgeRequest & wavepose.v1.ListEdgeRequest.$Shape} ListEdgeRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.ListEdgeRequest & wavepose.v1.ListEdgeRequest.$Shape;
        }

        namespace ListEdgeRequest {

            /** Properties of a ListEdgeRequest. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListEdgeRequest. */
            type $Shape = wavepose.v1.ListEdgeRequest.$Properties;
        }

        /**
         * Properties of a ListEdgeResponse.
         * @deprecated Use wavepose.v1.ListEdgeResponse.$Properties instead.
         */
        interface IListEdgeResponse extends wavepose.v1.ListEdgeResponse.$Properties {
        }

        /** Represents a ListEdgeResponse. */
        class ListEdgeResponse {

            /**
             * Constructs a new ListEdgeResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.ListEdgeResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListEdgeResponse records. */
            records: wavepose.v1.EdgeRecord.$Properties[];

            /**
             * Creates a new ListEdgeResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListEdgeResponse instance
             */
            static create(properties: wavepose.v1.ListEdgeResponse.$Shape): wavepose.v1.ListEdgeResponse & wavepose.v1.ListEdgeResponse.$Shape;
            static create(properties?: wavepose.v1.ListEdgeResponse.$Properties): wavepose.v1.ListEdgeResponse;

            /**
             * Encodes the specified ListEdgeResponse message. Does not implicitly {@link wavepose.v1.ListEdgeResponse.verify|verify} messages.
             * @param message ListEdgeResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.ListEdgeResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListEdgeResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.ListEdgeResponse & wavepose.v1.ListEdgeResponse.$Shape} ListEdgeResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.ListEdgeResponse & wavepose.v1.ListEdgeResponse.$Shape;
        }

        namespace ListEdgeResponse {

            /** Properties of a ListEdgeResponse. */
            interface $Properties {

                /** ListEdgeResponse records */
                records?: (wavepose.v1.EdgeRecord.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListEdgeResponse. */
            type $Shape = wavepose.v1.ListEdgeResponse.$Properties;
        }

        /**
         * Properties of a WatchEdgeResponse.
         * @deprecated Use wavepose.v1.WatchEdgeResponse.$Properties instead.
         */
        interface IWatchEdgeResponse extends wavepose.v1.WatchEdgeResponse.$Properties {
        }

        /** Represents a WatchEdgeResponse. */
        class WatchEdgeResponse {

            /**
             * Constructs a new WatchEdgeResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.WatchEdgeResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WatchEdgeResponse record. */
            record?: (wavepose.v1.EdgeRecord.$Properties|null);

            /** WatchEdgeResponse refusal. */
            refusal?: (wavepose.v1.EdgeRefusal.$Properties|null);

            /** WatchEdgeResponse update. */
            update?: ("record"|"refusal");

            /**
             * Creates a new WatchEdgeResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WatchEdgeResponse instance
             */
            static create(properties: wavepose.v1.WatchEdgeResponse.$Shape): wavepose.v1.WatchEdgeResponse & wavepose.v1.WatchEdgeResponse.$Shape;
            static create(properties?: wavepose.v1.WatchEdgeResponse.$Properties): wavepose.v1.WatchEdgeResponse;

            /**
             * Encodes the specified WatchEdgeResponse message. Does not implicitly {@link wavepose.v1.WatchEdgeResponse.verify|verify} messages.
             * @param message WatchEdgeResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.WatchEdgeResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WatchEdgeResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.WatchEdgeResponse & wavepose.v1.WatchEdgeResponse.$Shape} WatchEdgeResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.WatchEdgeResponse & wavepose.v1.WatchEdgeResponse.$Shape;
        }

        namespace WatchEdgeResponse {

            /** Properties of a WatchEdgeResponse. */
            interface $Properties {

                /** WatchEdgeResponse record */
                record?: (wavepose.v1.EdgeRecord.$Properties|null);

                /** WatchEdgeResponse refusal */
                refusal?: (wavepose.v1.EdgeRefusal.$Properties|null);

                /** WatchEdgeResponse update */
                update?: ("record"|"refusal");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a WatchEdgeResponse. */
            type $Shape = {
              record?: wavepose.v1.EdgeRecord.$Shape|null;
              refusal?: wavepose.v1.EdgeRefusal.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ update?: undefined; record?: null; refusal?: null }|{ update?: "record"; record: wavepose.v1.EdgeRecord.$Shape; refusal?: null }|{ update?: "refusal"; record?: null; refusal: wavepose.v1.EdgeRefusal.$Shape })
            );
        }

        /**
         * Properties of an EdgeRefusal.
         * @deprecated Use wavepose.v1.EdgeRefusal.$Properties instead.
         */
        interface IEdgeRefusal extends wavepose.v1.EdgeRefusal.$Properties {
        }

        /** Represents an EdgeRefusal. */
        class EdgeRefusal {

            /**
             * Constructs a new EdgeRefusal.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.EdgeRefusal.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EdgeRefusal nodeId. */
            nodeId: string;

            /** EdgeRefusal privacyClass. */
            privacyClass: number;

            /** EdgeRefusal reason. */
            reason: string;

            /**
             * Creates a new EdgeRefusal instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EdgeRefusal instance
             */
            static create(properties: wavepose.v1.EdgeRefusal.$Shape): wavepose.v1.EdgeRefusal & wavepose.v1.EdgeRefusal.$Shape;
            static create(properties?: wavepose.v1.EdgeRefusal.$Properties): wavepose.v1.EdgeRefusal;

            /**
             * Encodes the specified EdgeRefusal message. Does not implicitly {@link wavepose.v1.EdgeRefusal.verify|verify} messages.
             * @param message EdgeRefusal message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.EdgeRefusal.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EdgeRefusal message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgeRefusal & wavepose.v1.EdgeRefusal.$Shape} EdgeRefusal
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.EdgeRefusal & wavepose.v1.EdgeRefusal.$Shape;
        }

        namespace EdgeRefusal {

            /** Properties of an EdgeRefusal. */
            interface $Properties {

                /** EdgeRefusal nodeId */
                nodeId?: (string|null);

                /** EdgeRefusal privacyClass */
                privacyClass?: (number|null);

                /** EdgeRefusal reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an EdgeRefusal. */
            type $Shape = wavepose.v1.EdgeRefusal.$Properties;
        }

        /**
         * Properties of an EdgeRecord.
         * @deprecated Use wavepose.v1.EdgeRecord.$Properties instead.
         */
        interface IEdgeRecord extends wavepose.v1.EdgeRecord.$Properties {
        }

        /** Represents an EdgeRecord. */
        class EdgeRecord {

            /**
             * Constructs a new EdgeRecord.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.EdgeRecord.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EdgeRecord nodeId. */
            nodeId: string;

            /** EdgeRecord privacyClass. */
            privacyClass: number;

            /** EdgeRecord seenMs. */
            seenMs: number;

            /** EdgeRecord entry. */
            entry?: (wavepose.v1.RegistryEntry.$Properties|null);

            /** EdgeRecord sensing. */
            sensing?: (wavepose.v1.SensingRecord.$Properties|null);

            /** EdgeRecord events. */
            events?: (wavepose.v1.SemanticEvents.$Properties|null);

            /** EdgeRecord scan. */
            scan?: (wavepose.v1.BeamformingScan.$Properties|null);

            /** EdgeRecord redactedFields. */
            redactedFields: string[];

            /**
             * Creates a new EdgeRecord instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EdgeRecord instance
             */
            static create(properties: wavepose.v1.EdgeRecord.$Shape): wavepose.v1.EdgeRecord & wavepose.v1.EdgeRecord.$Shape;
            static create(properties?: wavepose.v1.EdgeRecord.$Properties): wavepose.v1.EdgeRecord;

            /**
             * Encodes the specified EdgeRecord message. Does not implicitly {@link wavepose.v1.EdgeRecord.verify|verify} messages.
             * @param message EdgeRecord message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.EdgeRecord.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EdgeRecord message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgeRecord & wavepose.v1.EdgeRecord.$Shape} EdgeRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.EdgeRecord & wavepose.v1.EdgeRecord.$Shape;
        }

        namespace EdgeRecord {

            /** Properties of an EdgeRecord. */
            interface $Properties {

                /** EdgeRecord nodeId */
                nodeId?: (string|null);

                /** EdgeRecord privacyClass */
                privacyClass?: (number|null);

                /** EdgeRecord seenMs */
                seenMs?: (number|null);

                /** EdgeRecord entry */
                entry?: (wavepose.v1.RegistryEntry.$Properties|null);

                /** EdgeRecord sensing */
                sensing?: (wavepose.v1.SensingRecord.$Properties|null);

                /** EdgeRecord events */
                events?: (wavepose.v1.SemanticEvents.$Properties|null);

                /** EdgeRecord scan */
                scan?: (wavepose.v1.BeamformingScan.$Properties|null);

                /** EdgeRecord redactedFields */
                redactedFields?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an EdgeRecord. */
            type $Shape = wavepose.v1.EdgeRecord.$Properties;
        }

        /**
         * Properties of a RegistryEntry.
         * @deprecated Use wavepose.v1.RegistryEntry.$Properties instead.
         */
        interface IRegistryEntry extends wavepose.v1.RegistryEntry.$Properties {
        }

        /** Represents a RegistryEntry. */
        class RegistryEntry {

            /**
             * Constructs a new RegistryEntry.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.RegistryEntry.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RegistryEntry environmentId. */
            environmentId?: (string|null);

            /** RegistryEntry kind. */
            kind?: (string|null);

            /** RegistryEntry online. */
            online: boolean;

            /** RegistryEntry lastSeenMs. */
            lastSeenMs?: (number|null);

            /** RegistryEntry firmware. */
            firmware?: (string|null);

            /** RegistryEntry rssiDbm. */
            rssiDbm?: (number|null);

            /** RegistryEntry packetRateHz. */
            packetRateHz?: (number|null);

            /** RegistryEntry packetLoss. */
            packetLoss?: (number|null);

            /** RegistryEntry standing. */
            standing: string;

            /** RegistryEntry signed. */
            signed?: (boolean|null);

            /**
             * Creates a new RegistryEntry instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RegistryEntry instance
             */
            static create(properties: wavepose.v1.RegistryEntry.$Shape): wavepose.v1.RegistryEntry & wavepose.v1.RegistryEntry.$Shape;
            static create(properties?: wavepose.v1.RegistryEntry.$Properties): wavepose.v1.RegistryEntry;

            /**
             * Encodes the specified RegistryEntry message. Does not implicitly {@link wavepose.v1.RegistryEntry.verify|verify} messages.
             * @param message RegistryEntry message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.RegistryEntry.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RegistryEntry message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.RegistryEntry & wavepose.v1.RegistryEntry.$Shape} RegistryEntry
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.RegistryEntry & wavepose.v1.RegistryEntry.$Shape;
        }

        namespace RegistryEntry {

            /** Properties of a RegistryEntry. */
            interface $Properties {

                /** RegistryEntry environmentId */
                environmentId?: (string|null);

                /** RegistryEntry kind */
                kind?: (string|null);

                /** RegistryEntry online */
                online?: (boolean|null);

                /** RegistryEntry lastSeenMs */
                lastSeenMs?: (number|null);

                /** RegistryEntry firmware */
                firmware?: (string|null);

                /** RegistryEntry rssiDbm */
                rssiDbm?: (number|null);

                /** RegistryEntry packetRateHz */
                packetRateHz?: (number|null);

                /** RegistryEntry packetLoss */
                packetLoss?: (number|null);

                /** RegistryEntry standing */
                standing?: (string|null);

                /** RegistryEntry signed */
                signed?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RegistryEntry. */
            type $Shape = wavepose.v1.RegistryEntry.$Properties;
        }

        /**
         * Properties of a SensingRecord.
         * @deprecated Use wavepose.v1.SensingRecord.$Properties instead.
         */
        interface ISensingRecord extends wavepose.v1.SensingRecord.$Properties {
        }

        /** Represents a SensingRecord. */
        class SensingRecord {

            /**
             * Constructs a new SensingRecord.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.SensingRecord.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SensingRecord timestampMs. */
            timestampMs: number;

            /** SensingRecord presence. */
            presence?: (wavepose.v1.EdgePresence.$Properties|null);

            /** SensingRecord nPersons. */
            nPersons?: (number|null);

            /** SensingRecord nPersonsReason. */
            nPersonsReason?: (string|null);

            /** SensingRecord motion. */
            motion?: (number|null);

            /** SensingRecord vitals. */
            vitals?: (wavepose.v1.EdgeVitals.$Properties|null);

            /** SensingRecord anomalyScore. */
            anomalyScore?: (number|null);

            /** SensingRecord anomalyReason. */
            anomalyReason?: (string|null);

            /** SensingRecord envShiftScore. */
            envShiftScore?: (number|null);

            /** SensingRecord envShiftReason. */
            envShiftReason?: (string|null);

            /** SensingRecord nodeCoherence. */
            nodeCoherence?: (number|null);

            /** SensingRecord nodeCoherenceReason. */
            nodeCoherenceReason?: (string|null);

            /** SensingRecord provenance. */
            provenance?: (wavepose.v1.EdgeProvenance.$Properties|null);

            /**
             * Creates a new SensingRecord instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SensingRecord instance
             */
            static create(properties: wavepose.v1.SensingRecord.$Shape): wavepose.v1.SensingRecord & wavepose.v1.SensingRecord.$Shape;
            static create(properties?: wavepose.v1.SensingRecord.$Properties): wavepose.v1.SensingRecord;

            /**
             * Encodes the specified SensingRecord message. Does not implicitly {@link wavepose.v1.SensingRecord.verify|verify} messages.
             * @param message SensingRecord message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.SensingRecord.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SensingRecord message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.SensingRecord & wavepose.v1.SensingRecord.$Shape} SensingRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.SensingRecord & wavepose.v1.SensingRecord.$Shape;
        }

        namespace SensingRecord {

            /** Properties of a SensingRecord. */
            interface $Properties {

                /** SensingRecord timestampMs */
                timestampMs?: (number|null);

                /** SensingRecord presence */
                presence?: (wavepose.v1.EdgePresence.$Properties|null);

                /** SensingRecord nPersons */
                nPersons?: (number|null);

                /** SensingRecord nPersonsReason */
                nPersonsReason?: (string|null);

                /** SensingRecord motion */
                motion?: (number|null);

                /** SensingRecord vitals */
                vitals?: (wavepose.v1.EdgeVitals.$Properties|null);

                /** SensingRecord anomalyScore */
                anomalyScore?: (number|null);

                /** SensingRecord anomalyReason */
                anomalyReason?: (string|null);

                /** SensingRecord envShiftScore */
                envShiftScore?: (number|null);

                /** SensingRecord envShiftReason */
                envShiftReason?: (string|null);

                /** SensingRecord nodeCoherence */
                nodeCoherence?: (number|null);

                /** SensingRecord nodeCoherenceReason */
                nodeCoherenceReason?: (string|null);

                /** SensingRecord provenance */
                provenance?: (wavepose.v1.EdgeProvenance.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SensingRecord. */
            type $Shape = wavepose.v1.SensingRecord.$Properties;
        }

        /**
         * Properties of a SemanticEvent.
         * @deprecated Use wavepose.v1.SemanticEvent.$Properties instead.
         */
        interface ISemanticEvent extends wavepose.v1.SemanticEvent.$Properties {
        }

        /** Represents a SemanticEvent. */
        class SemanticEvent {

            /**
             * Constructs a new SemanticEvent.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.SemanticEvent.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SemanticEvent active. */
            active: boolean;

            /** SemanticEvent sinceMs. */
            sinceMs?: (number|null);

            /** SemanticEvent reason. */
            reason?: (string|null);

            /**
             * Creates a new SemanticEvent instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SemanticEvent instance
             */
            static create(properties: wavepose.v1.SemanticEvent.$Shape): wavepose.v1.SemanticEvent & wavepose.v1.SemanticEvent.$Shape;
            static create(properties?: wavepose.v1.SemanticEvent.$Properties): wavepose.v1.SemanticEvent;

            /**
             * Encodes the specified SemanticEvent message. Does not implicitly {@link wavepose.v1.SemanticEvent.verify|verify} messages.
             * @param message SemanticEvent message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.SemanticEvent.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SemanticEvent message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.SemanticEvent & wavepose.v1.SemanticEvent.$Shape} SemanticEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.SemanticEvent & wavepose.v1.SemanticEvent.$Shape;
        }

        namespace SemanticEvent {

            /** Properties of a SemanticEvent. */
            interface $Properties {

                /** SemanticEvent active */
                active?: (boolean|null);

                /** SemanticEvent sinceMs */
                sinceMs?: (number|null);

                /** SemanticEvent reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SemanticEvent. */
            type $Shape = wavepose.v1.SemanticEvent.$Properties;
        }

        /**
         * Properties of a SemanticEvents.
         * @deprecated Use wavepose.v1.SemanticEvents.$Properties instead.
         */
        interface ISemanticEvents extends wavepose.v1.SemanticEvents.$Properties {
        }

        /** Represents a SemanticEvents. */
        class SemanticEvents {

            /**
             * Constructs a new SemanticEvents.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.SemanticEvents.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SemanticEvents timestampMs. */
            timestampMs: number;

            /** SemanticEvents unknownPresence. */
            unknownPresence?: (wavepose.v1.SemanticEvent.$Properties|null);

            /** SemanticEvents unknownPresenceSource. */
            unknownPresenceSource: string;

            /** SemanticEvents unexpectedOccupancy. */
            unexpectedOccupancy?: (wavepose.v1.SemanticEvent.$Properties|null);

            /** SemanticEvents unrecognizedActivityPattern. */
            unrecognizedActivityPattern?: (wavepose.v1.SemanticEvent.$Properties|null);

            /** SemanticEvents anomalyThreshold. */
            anomalyThreshold: number;

            /** SemanticEvents anomalyScore. */
            anomalyScore?: (number|null);

            /**
             * Creates a new SemanticEvents instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SemanticEvents instance
             */
            static create(properties: wavepose.v1.SemanticEvents.$Shape): wavepose.v1.SemanticEvents & wavepose.v1.SemanticEvents.$Shape;
            static create(properties?: wavepose.v1.SemanticEvents.$Properties): wavepose.v1.SemanticEvents;

            /**
             * Encodes the specified SemanticEvents message. Does not implicitly {@link wavepose.v1.SemanticEvents.verify|verify} messages.
             * @param message SemanticEvents message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.SemanticEvents.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SemanticEvents message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.SemanticEvents & wavepose.v1.SemanticEvents.$Shape} SemanticEvents
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.SemanticEvents & wavepose.v1.SemanticEvents.$Shape;
        }

        namespace SemanticEvents {

            /** Properties of a SemanticEvents. */
            interface $Properties {

                /** SemanticEvents timestampMs */
                timestampMs?: (number|null);

                /** SemanticEvents unknownPresence */
                unknownPresence?: (wavepose.v1.SemanticEvent.$Properties|null);

                /** SemanticEvents unknownPresenceSource */
                unknownPresenceSource?: (string|null);

                /** SemanticEvents unexpectedOccupancy */
                unexpectedOccupancy?: (wavepose.v1.SemanticEvent.$Properties|null);

                /** SemanticEvents unrecognizedActivityPattern */
                unrecognizedActivityPattern?: (wavepose.v1.SemanticEvent.$Properties|null);

                /** SemanticEvents anomalyThreshold */
                anomalyThreshold?: (number|null);

                /** SemanticEvents anomalyScore */
                anomalyScore?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SemanticEvents. */
            type $Shape = wavepose.v1.SemanticEvents.$Properties;
        }

        /**
         * Properties of a BeamformingScan.
         * @deprecated Use wavepose.v1.BeamformingScan.$Properties instead.
         */
        interface IBeamformingScan extends wavepose.v1.BeamformingScan.$Properties {
        }

        /** Represents a BeamformingScan. */
        class BeamformingScan {

            /**
             * Constructs a new BeamformingScan.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.BeamformingScan.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** BeamformingScan seconds. */
            seconds: number;

            /** BeamformingScan nanos. */
            nanos: number;

            /** BeamformingScan presence. */
            presence?: (wavepose.v1.EdgePresence.$Properties|null);

            /** BeamformingScan personCount. */
            personCount?: (number|null);

            /** BeamformingScan personCountReason. */
            personCountReason?: (string|null);

            /** BeamformingScan stations. */
            stations: number;

            /**
             * Creates a new BeamformingScan instance using the specified properties.
             * @param [properties] Properties to set
             * @returns BeamformingScan instance
             */
            static create(properties: wavepose.v1.BeamformingScan.$Shape): wavepose.v1.BeamformingScan & wavepose.v1.BeamformingScan.$Shape;
            static create(properties?: wavepose.v1.BeamformingScan.$Properties): wavepose.v1.BeamformingScan;

            /**
             * Encodes the specified BeamformingScan message. Does not implicitly {@link wavepose.v1.BeamformingScan.verify|verify} messages.
             * @param message BeamformingScan message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.BeamformingScan.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a BeamformingScan message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.BeamformingScan & wavepose.v1.BeamformingScan.$Shape} BeamformingScan
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.BeamformingScan & wavepose.v1.BeamformingScan.$Shape;
        }

        namespace BeamformingScan {

            /** Properties of a BeamformingScan. */
            interface $Properties {

                /** BeamformingScan seconds */
                seconds?: (number|null);

                /** BeamformingScan nanos */
                nanos?: (number|null);

                /** BeamformingScan presence */
                presence?: (wavepose.v1.EdgePresence.$Properties|null);

                /** BeamformingScan personCount */
                personCount?: (number|null);

                /** BeamformingScan personCountReason */
                personCountReason?: (string|null);

                /** BeamformingScan stations */
                stations?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a BeamformingScan. */
            type $Shape = wavepose.v1.BeamformingScan.$Properties;
        }

        /**
         * Properties of an EdgePresence.
         * @deprecated Use wavepose.v1.EdgePresence.$Properties instead.
         */
        interface IEdgePresence extends wavepose.v1.EdgePresence.$Properties {
        }

        /** Represents an EdgePresence. */
        class EdgePresence {

            /**
             * Constructs a new EdgePresence.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.EdgePresence.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EdgePresence present. */
            present?: (boolean|null);

            /** EdgePresence confidence. */
            confidence: number;

            /** EdgePresence reason. */
            reason?: (string|null);

            /**
             * Creates a new EdgePresence instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EdgePresence instance
             */
            static create(properties: wavepose.v1.EdgePresence.$Shape): wavepose.v1.EdgePresence & wavepose.v1.EdgePresence.$Shape;
            static create(properties?: wavepose.v1.EdgePresence.$Properties): wavepose.v1.EdgePresence;

            /**
             * Encodes the specified EdgePresence message. Does not implicitly {@link wavepose.v1.EdgePresence.verify|verify} messages.
             * @param message EdgePresence message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.EdgePresence.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EdgePresence message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgePresence & wavepose.v1.EdgePresence.$Shape} EdgePresence
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.EdgePresence & wavepose.v1.EdgePresence.$Shape;
        }

        namespace EdgePresence {

            /** Properties of an EdgePresence. */
            interface $Properties {

                /** EdgePresence present */
                present?: (boolean|null);

                /** EdgePresence confidence */
                confidence?: (number|null);

                /** EdgePresence reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an EdgePresence. */
            type $Shape = wavepose.v1.EdgePresence.$Properties;
        }

        /**
         * Properties of an EdgeVitals.
         * @deprecated Use wavepose.v1.EdgeVitals.$Properties instead.
         */
        interface IEdgeVitals extends wavepose.v1.EdgeVitals.$Properties {
        }

        /** Represents an EdgeVitals. */
        class EdgeVitals {

            /**
             * Constructs a new EdgeVitals.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.EdgeVitals.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EdgeVitals breathingRateBpm. */
            breathingRateBpm?: (number|null);

            /** EdgeVitals breathingConfidence. */
            breathingConfidence: number;

            /** EdgeVitals breathingReason. */
            breathingReason?: (string|null);

            /** EdgeVitals heartRateBpm. */
            heartRateBpm?: (number|null);

            /** EdgeVitals heartReason. */
            heartReason?: (string|null);

            /**
             * Creates a new EdgeVitals instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EdgeVitals instance
             */
            static create(properties: wavepose.v1.EdgeVitals.$Shape): wavepose.v1.EdgeVitals & wavepose.v1.EdgeVitals.$Shape;
            static create(properties?: wavepose.v1.EdgeVitals.$Properties): wavepose.v1.EdgeVitals;

            /**
             * Encodes the specified EdgeVitals message. Does not implicitly {@link wavepose.v1.EdgeVitals.verify|verify} messages.
             * @param message EdgeVitals message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.EdgeVitals.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EdgeVitals message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgeVitals & wavepose.v1.EdgeVitals.$Shape} EdgeVitals
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.EdgeVitals & wavepose.v1.EdgeVitals.$Shape;
        }

        namespace EdgeVitals {

            /** Properties of an EdgeVitals. */
            interface $Properties {

                /** EdgeVitals breathingRateBpm */
                breathingRateBpm?: (number|null);

                /** EdgeVitals breathingConfidence */
                breathingConfidence?: (number|null);

                /** EdgeVitals breathingReason */
                breathingReason?: (string|null);

                /** EdgeVitals heartRateBpm */
                heartRateBpm?: (number|null);

                /** EdgeVitals heartReason */
                heartReason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an EdgeVitals. */
            type $Shape = wavepose.v1.EdgeVitals.$Properties;
        }

        /**
         * Properties of an EdgeProvenance.
         * @deprecated Use wavepose.v1.EdgeProvenance.$Properties instead.
         */
        interface IEdgeProvenance extends wavepose.v1.EdgeProvenance.$Properties {
        }

        /** Represents an EdgeProvenance. */
        class EdgeProvenance {

            /**
             * Constructs a new EdgeProvenance.
             * @param [properties] Properties to set
             */
            constructor(properties?: wavepose.v1.EdgeProvenance.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EdgeProvenance source. */
            source: wavepose.v1.Source;

            /** EdgeProvenance calibrated. */
            calibrated: boolean;

            /** EdgeProvenance modelVersion. */
            modelVersion: string;

            /** EdgeProvenance linksUsed. */
            linksUsed: number;

            /** EdgeProvenance clockOffsetMs. */
            clockOffsetMs?: (number|null);

            /**
             * Creates a new EdgeProvenance instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EdgeProvenance instance
             */
            static create(properties: wavepose.v1.EdgeProvenance.$Shape): wavepose.v1.EdgeProvenance & wavepose.v1.EdgeProvenance.$Shape;
            static create(properties?: wavepose.v1.EdgeProvenance.$Properties): wavepose.v1.EdgeProvenance;

            /**
             * Encodes the specified EdgeProvenance message. Does not implicitly {@link wavepose.v1.EdgeProvenance.verify|verify} messages.
             * @param message EdgeProvenance message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: wavepose.v1.EdgeProvenance.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EdgeProvenance message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {wavepose.v1.EdgeProvenance & wavepose.v1.EdgeProvenance.$Shape} EdgeProvenance
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.v1.EdgeProvenance & wavepose.v1.EdgeProvenance.$Shape;
        }

        namespace EdgeProvenance {

            /** Properties of an EdgeProvenance. */
            interface $Properties {

                /** EdgeProvenance source */
                source?: (wavepose.v1.Source|null);

                /** EdgeProvenance calibrated */
                calibrated?: (boolean|null);

                /** EdgeProvenance modelVersion */
                modelVersion?: (string|null);

                /** EdgeProvenance linksUsed */
                linksUsed?: (number|null);

                /** EdgeProvenance clockOffsetMs */
                clockOffsetMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an EdgeProvenance. */
            type $Shape = wavepose.v1.EdgeProvenance.$Properties;
        }
    }

    /** Namespace internal. */
    namespace internal {

        /** Namespace v1. */
        namespace v1 {

            /**
             * Properties of a LinkObservation.
             * @deprecated Use wavepose.internal.v1.LinkObservation.$Properties instead.
             */
            interface ILinkObservation extends wavepose.internal.v1.LinkObservation.$Properties {
            }

            /** Represents a LinkObservation. */
            class LinkObservation {

                /**
                 * Constructs a new LinkObservation.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.LinkObservation.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** LinkObservation transmitterId. */
                transmitterId: string;

                /** LinkObservation packets. */
                packets: number;

                /** LinkObservation outliers. */
                outliers: number;

                /** LinkObservation rssiDbm. */
                rssiDbm: number;

                /** LinkObservation motionStatistic. */
                motionStatistic?: (number|null);

                /** LinkObservation motionStatisticSigma. */
                motionStatisticSigma: number;

                /** LinkObservation dynamicPower. */
                dynamicPower?: (number|null);

                /** LinkObservation dynamic. */
                dynamic: Uint8Array;

                /** LinkObservation occupancy. */
                occupancy?: (number|null);

                /** LinkObservation slowStatistic. */
                slowStatistic?: (number|null);

                /** LinkObservation slowStatisticSigma. */
                slowStatisticSigma: number;

                /** LinkObservation windowWhole. */
                windowWhole: boolean;

                /** LinkObservation vitals. */
                vitals?: (wavepose.internal.v1.Vitals.$Properties|null);

                /** LinkObservation dynamicTimesS. */
                dynamicTimesS: Uint8Array;

                /** LinkObservation leadsRad. */
                leadsRad: Uint8Array;

                /** LinkObservation calibratedAtUs. */
                calibratedAtUs?: (number|null);

                /**
                 * Creates a new LinkObservation instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns LinkObservation instance
                 */
                static create(properties: wavepose.internal.v1.LinkObservation.$Shape): wavepose.internal.v1.LinkObservation & wavepose.internal.v1.LinkObservation.$Shape;
                static create(properties?: wavepose.internal.v1.LinkObservation.$Properties): wavepose.internal.v1.LinkObservation;

                /**
                 * Encodes the specified LinkObservation message. Does not implicitly {@link wavepose.internal.v1.LinkObservation.verify|verify} messages.
                 * @param message LinkObservation message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.LinkObservation.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a LinkObservation message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.LinkObservation & wavepose.internal.v1.LinkObservation.$Shape} LinkObservation
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.LinkObservation & wavepose.internal.v1.LinkObservation.$Shape;
            }

            namespace LinkObservation {

                /** Properties of a LinkObservation. */
                interface $Properties {

                    /** LinkObservation transmitterId */
                    transmitterId?: (string|null);

                    /** LinkObservation packets */
                    packets?: (number|null);

                    /** LinkObservation outliers */
                    outliers?: (number|null);

                    /** LinkObservation rssiDbm */
                    rssiDbm?: (number|null);

                    /** LinkObservation motionStatistic */
                    motionStatistic?: (number|null);

                    /** LinkObservation motionStatisticSigma */
                    motionStatisticSigma?: (number|null);

                    /** LinkObservation dynamicPower */
                    dynamicPower?: (number|null);

                    /** LinkObservation dynamic */
                    dynamic?: (Uint8Array|null);

                    /** LinkObservation occupancy */
                    occupancy?: (number|null);

                    /** LinkObservation slowStatistic */
                    slowStatistic?: (number|null);

                    /** LinkObservation slowStatisticSigma */
                    slowStatisticSigma?: (number|null);

                    /** LinkObservation windowWhole */
                    windowWhole?: (boolean|null);

                    /** LinkObservation vitals */
                    vitals?: (wavepose.internal.v1.Vitals.$Properties|null);

                    /** LinkObservation dynamicTimesS */
                    dynamicTimesS?: (Uint8Array|null);

                    /** LinkObservation leadsRad */
                    leadsRad?: (Uint8Array|null);

                    /** LinkObservation calibratedAtUs */
                    calibratedAtUs?: (number|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a LinkObservation. */
                type $Shape = wavepose.internal.v1.LinkObservation.$Properties;
            }

            /**
             * Properties of an Observation.
             * @deprecated Use wavepose.internal.v1.Observation.$Properties instead.
             */
            interface IObservation extends wavepose.internal.v1.Observation.$Properties {
            }

            /** Represents an Observation. */
            class Observation {

                /**
                 * Constructs a new Observation.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Observation.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Observation routerId. */
                routerId: string;

                /** Observation hop. */
                hop: number;

                /** Observation source. */
                source: wavepose.v1.Source;

                /** Observation calibrated. */
                calibrated: boolean;

                /** Observation receiveAntennas. */
                receiveAntennas: number;

                /** Observation centerFrequencyHz. */
                centerFrequencyHz: number;

                /** Observation tonesHz. */
                tonesHz: Uint8Array;

                /** Observation packetRateHz. */
                packetRateHz: number;

                /** Observation packetLoss. */
                packetLoss?: (number|null);

                /** Observation links. */
                links: wavepose.internal.v1.LinkObservation.$Properties[];

                /** Observation amplitudeOnly. */
                amplitudeOnly: boolean;

                /** Observation shedHops. */
                shedHops: number[];

                /**
                 * Creates a new Observation instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Observation instance
                 */
                static create(properties: wavepose.internal.v1.Observation.$Shape): wavepose.internal.v1.Observation & wavepose.internal.v1.Observation.$Shape;
                static create(properties?: wavepose.internal.v1.Observation.$Properties): wavepose.internal.v1.Observation;

                /**
                 * Encodes the specified Observation message. Does not implicitly {@link wavepose.internal.v1.Observation.verify|verify} messages.
                 * @param message Observation message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Observation.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes an Observation message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Observation & wavepose.internal.v1.Observation.$Shape} Observation
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Observation & wavepose.internal.v1.Observation.$Shape;
            }

            namespace Observation {

                /** Properties of an Observation. */
                interface $Properties {

                    /** Observation routerId */
                    routerId?: (string|null);

                    /** Observation hop */
                    hop?: (number|null);

                    /** Observation source */
                    source?: (wavepose.v1.Source|null);

                    /** Observation calibrated */
                    calibrated?: (boolean|null);

                    /** Observation receiveAntennas */
                    receiveAntennas?: (number|null);

                    /** Observation centerFrequencyHz */
                    centerFrequencyHz?: (number|null);

                    /** Observation tonesHz */
                    tonesHz?: (Uint8Array|null);

                    /** Observation packetRateHz */
                    packetRateHz?: (number|null);

                    /** Observation packetLoss */
                    packetLoss?: (number|null);

                    /** Observation links */
                    links?: (wavepose.internal.v1.LinkObservation.$Properties[]|null);

                    /** Observation amplitudeOnly */
                    amplitudeOnly?: (boolean|null);

                    /** Observation shedHops */
                    shedHops?: (number[]|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of an Observation. */
                type $Shape = wavepose.internal.v1.Observation.$Properties;
            }

            /**
             * Properties of a Point.
             * @deprecated Use wavepose.internal.v1.Point.$Properties instead.
             */
            interface IPoint extends wavepose.internal.v1.Point.$Properties {
            }

            /** Represents a Point. */
            class Point {

                /**
                 * Constructs a new Point.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Point.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Point x. */
                x: number;

                /** Point y. */
                y: number;

                /**
                 * Creates a new Point instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Point instance
                 */
                static create(properties: wavepose.internal.v1.Point.$Shape): wavepose.internal.v1.Point & wavepose.internal.v1.Point.$Shape;
                static create(properties?: wavepose.internal.v1.Point.$Properties): wavepose.internal.v1.Point;

                /**
                 * Encodes the specified Point message. Does not implicitly {@link wavepose.internal.v1.Point.verify|verify} messages.
                 * @param message Point message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Point.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a Point message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Point & wavepose.internal.v1.Point.$Shape} Point
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Point & wavepose.internal.v1.Point.$Shape;
            }

            namespace Point {

                /** Properties of a Point. */
                interface $Properties {

                    /** Point x */
                    x?: (number|null);

                    /** Point y */
                    y?: (number|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a Point. */
                type $Shape = wavepose.internal.v1.Point.$Properties;
            }

            /**
             * Properties of a Keypoint.
             * @deprecated Use wavepose.internal.v1.Keypoint.$Properties instead.
             */
            interface IKeypoint extends wavepose.internal.v1.Keypoint.$Properties {
            }

            /** Represents a Keypoint. */
            class Keypoint {

                /**
                 * Constructs a new Keypoint.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Keypoint.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Keypoint name. */
                name: string;

                /** Keypoint x. */
                x: number;

                /** Keypoint y. */
                y: number;

                /** Keypoint confidence. */
                confidence: number;

                /** Keypoint visible. */
                visible: boolean;

                /** Keypoint observed. */
                observed?: (boolean|null);

                /**
                 * Creates a new Keypoint instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Keypoint instance
                 */
                static create(properties: wavepose.internal.v1.Keypoint.$Shape): wavepose.internal.v1.Keypoint & wavepose.internal.v1.Keypoint.$Shape;
                static create(properties?: wavepose.internal.v1.Keypoint.$Properties): wavepose.internal.v1.Keypoint;

                /**
                 * Encodes the specified Keypoint message. Does not implicitly {@link wavepose.internal.v1.Keypoint.verify|verify} messages.
                 * @param message Keypoint message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Keypoint.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a Keypoint message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Keypoint & wavepose.internal.v1.Keypoint.$Shape} Keypoint
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Keypoint & wavepose.internal.v1.Keypoint.$Shape;
            }

            namespace Keypoint {

                /** Properties of a Keypoint. */
                interface $Properties {

                    /** Keypoint name */
                    name?: (string|null);

                    /** Keypoint x */
                    x?: (number|null);

                    /** Keypoint y */
                    y?: (number|null);

                    /** Keypoint confidence */
                    confidence?: (number|null);

                    /** Keypoint visible */
                    visible?: (boolean|null);

                    /** Keypoint observed */
                    observed?: (boolean|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a Keypoint. */
                type $Shape = wavepose.internal.v1.Keypoint.$Properties;
            }

            /**
             * Properties of a Keypoint3d.
             * @deprecated Use wavepose.internal.v1.Keypoint3d.$Properties instead.
             */
            interface IKeypoint3d extends wavepose.internal.v1.Keypoint3d.$Properties {
            }

            /** Represents a Keypoint3d. */
            class Keypoint3d {

                /**
                 * Constructs a new Keypoint3d.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Keypoint3d.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Keypoint3d name. */
                name: string;

                /** Keypoint3d x. */
                x: number;

                /** Keypoint3d y. */
                y: number;

                /** Keypoint3d z. */
                z: number;

                /** Keypoint3d confidence. */
                confidence: number;

                /** Keypoint3d sigmaM. */
                sigmaM: number;

                /** Keypoint3d observed. */
                observed?: (boolean|null);

                /**
                 * Creates a new Keypoint3d instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Keypoint3d instance
                 */
                static create(properties: wavepose.internal.v1.Keypoint3d.$Shape): wavepose.internal.v1.Keypoint3d & wavepose.internal.v1.Keypoint3d.$Shape;
                static create(properties?: wavepose.internal.v1.Keypoint3d.$Properties): wavepose.internal.v1.Keypoint3d;

                /**
                 * Encodes the specified Keypoint3d message. Does not implicitly {@link wavepose.internal.v1.Keypoint3d.verify|verify} messages.
                 * @param message Keypoint3d message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Keypoint3d.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a Keypoint3d message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Keypoint3d & wavepose.internal.v1.Keypoint3d.$Shape} Keypoint3d
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Keypoint3d & wavepose.internal.v1.Keypoint3d.$Shape;
            }

            namespace Keypoint3d {

                /** Properties of a Keypoint3d. */
                interface $Properties {

                    /** Keypoint3d name */
                    name?: (string|null);

                    /** Keypoint3d x */
                    x?: (number|null);

                    /** Keypoint3d y */
                    y?: (number|null);

                    /** Keypoint3d z */
                    z?: (number|null);

                    /** Keypoint3d confidence */
                    confidence?: (number|null);

                    /** Keypoint3d sigmaM */
                    sigmaM?: (number|null);

                    /** Keypoint3d observed */
                    observed?: (boolean|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a Keypoint3d. */
                type $Shape = wavepose.internal.v1.Keypoint3d.$Properties;
            }

            /**
             * Properties of a BoundingBox.
             * @deprecated Use wavepose.internal.v1.BoundingBox.$Properties instead.
             */
            interface IBoundingBox extends wavepose.internal.v1.BoundingBox.$Properties {
            }

            /** Represents a BoundingBox. */
            class BoundingBox {

                /**
                 * Constructs a new BoundingBox.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.BoundingBox.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** BoundingBox x. */
                x: number;

                /** BoundingBox y. */
                y: number;

                /** BoundingBox width. */
                width: number;

                /** BoundingBox height. */
                height: number;

                /**
                 * Creates a new BoundingBox instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns BoundingBox instance
                 */
                static create(properties: wavepose.internal.v1.BoundingBox.$Shape): wavepose.internal.v1.BoundingBox & wavepose.internal.v1.BoundingBox.$Shape;
                static create(properties?: wavepose.internal.v1.BoundingBox.$Properties): wavepose.internal.v1.BoundingBox;

                /**
                 * Encodes the specified BoundingBox message. Does not implicitly {@link wavepose.internal.v1.BoundingBox.verify|verify} messages.
                 * @param message BoundingBox message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.BoundingBox.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a BoundingBox message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.BoundingBox & wavepose.internal.v1.BoundingBox.$Shape} BoundingBox
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.BoundingBox & wavepose.internal.v1.BoundingBox.$Shape;
            }

            namespace BoundingBox {

                /** Properties of a BoundingBox. */
                interface $Properties {

                    /** BoundingBox x */
                    x?: (number|null);

                    /** BoundingBox y */
                    y?: (number|null);

                    /** BoundingBox width */
                    width?: (number|null);

                    /** BoundingBox height */
                    height?: (number|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a BoundingBox. */
                type $Shape = wavepose.internal.v1.BoundingBox.$Properties;
            }

            /**
             * Properties of a Person.
             * @deprecated Use wavepose.internal.v1.Person.$Properties instead.
             */
            interface IPerson extends wavepose.internal.v1.Person.$Properties {
            }

            /** Represents a Person. */
            class Person {

                /**
                 * Constructs a new Person.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Person.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Person id. */
                id: number;

                /** Person trackStatus. */
                trackStatus: string;

                /** Person trackAge. */
                trackAge: number;

                /** Person confidence. */
                confidence: number;

                /** Person activity. */
                activity: string;

                /** Person location. */
                location?: (wavepose.internal.v1.Point.$Properties|null);

                /** Person locationSigmaM. */
                locationSigmaM: number;

                /** Person velocity. */
                velocity?: (wavepose.internal.v1.Point.$Properties|null);

                /** Person boundingBox. */
                boundingBox?: (wavepose.internal.v1.BoundingBox.$Properties|null);

                /** Person keypoints. */
                keypoints: wavepose.internal.v1.Keypoint.$Properties[];

                /** Person keypoints_3d. */
                keypoints_3d: wavepose.internal.v1.Keypoint3d.$Properties[];

                /** Person evidenceReason. */
                evidenceReason?: (string|null);

                /**
                 * Creates a new Person instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Person instance
                 */
                static create(properties: wavepose.internal.v1.Person.$Shape): wavepose.internal.v1.Person & wavepose.internal.v1.Person.$Shape;
                static create(properties?: wavepose.internal.v1.Person.$Properties): wavepose.internal.v1.Person;

                /**
                 * Encodes the specified Person message. Does not implicitly {@link wavepose.internal.v1.Person.verify|verify} messages.
                 * @param message Person message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Person.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a Person message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Person & wavepose.internal.v1.Person.$Shape} Person
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Person & wavepose.internal.v1.Person.$Shape;
            }

            namespace Person {

                /** Properties of a Person. */
                interface $Properties {

                    /** Person id */
                    id?: (number|null);

                    /** Person trackStatus */
                    trackStatus?: (string|null);

                    /** Person trackAge */
                    trackAge?: (number|null);

                    /** Person confidence */
                    confidence?: (number|null);

                    /** Person activity */
                    activity?: (string|null);

                    /** Person location */
                    location?: (wavepose.internal.v1.Point.$Properties|null);

                    /** Person locationSigmaM */
                    locationSigmaM?: (number|null);

                    /** Person velocity */
                    velocity?: (wavepose.internal.v1.Point.$Properties|null);

                    /** Person boundingBox */
                    boundingBox?: (wavepose.internal.v1.BoundingBox.$Properties|null);

                    /** Person keypoints */
                    keypoints?: (wavepose.internal.v1.Keypoint.$Properties[]|null);

                    /** Person keypoints_3d */
                    keypoints_3d?: (wavepose.internal.v1.Keypoint3d.$Properties[]|null);

                    /** Person evidenceReason */
                    evidenceReason?: (string|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a Person. */
                type $Shape = wavepose.internal.v1.Person.$Properties;
            }

            /**
             * Properties of a Presence.
             * @deprecated Use wavepose.internal.v1.Presence.$Properties instead.
             */
            interface IPresence extends wavepose.internal.v1.Presence.$Properties {
            }

            /** Represents a Presence. */
            class Presence {

                /**
                 * Constructs a new Presence.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Presence.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Presence present. */
                present?: (boolean|null);

                /** Presence confidence. */
                confidence: number;

                /** Presence reason. */
                reason?: (string|null);

                /**
                 * Creates a new Presence instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Presence instance
                 */
                static create(properties: wavepose.internal.v1.Presence.$Shape): wavepose.internal.v1.Presence & wavepose.internal.v1.Presence.$Shape;
                static create(properties?: wavepose.internal.v1.Presence.$Properties): wavepose.internal.v1.Presence;

                /**
                 * Encodes the specified Presence message. Does not implicitly {@link wavepose.internal.v1.Presence.verify|verify} messages.
                 * @param message Presence message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Presence.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a Presence message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Presence & wavepose.internal.v1.Presence.$Shape} Presence
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Presence & wavepose.internal.v1.Presence.$Shape;
            }

            namespace Presence {

                /** Properties of a Presence. */
                interface $Properties {

                    /** Presence present */
                    present?: (boolean|null);

                    /** Presence confidence */
                    confidence?: (number|null);

                    /** Presence reason */
                    reason?: (string|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a Presence. */
                type $Shape = wavepose.internal.v1.Presence.$Properties;
            }

            /**
             * Properties of a Vitals.
             * @deprecated Use wavepose.internal.v1.Vitals.$Properties instead.
             */
            interface IVitals extends wavepose.internal.v1.Vitals.$Properties {
            }

            /** Represents a Vitals. */
            class Vitals {

                /**
                 * Constructs a new Vitals.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Vitals.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Vitals breathingRateBpm. */
                breathingRateBpm?: (number|null);

                /** Vitals breathingConfidence. */
                breathingConfidence: number;

                /** Vitals breathingReason. */
                breathingReason?: (string|null);

                /** Vitals heartRateBpm. */
                heartRateBpm?: (number|null);

                /** Vitals heartReason. */
                heartReason?: (string|null);

                /**
                 * Creates a new Vitals instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Vitals instance
                 */
                static create(properties: wavepose.internal.v1.Vitals.$Shape): wavepose.internal.v1.Vitals & wavepose.internal.v1.Vitals.$Shape;
                static create(properties?: wavepose.internal.v1.Vitals.$Properties): wavepose.internal.v1.Vitals;

                /**
                 * Encodes the specified Vitals message. Does not implicitly {@link wavepose.internal.v1.Vitals.verify|verify} messages.
                 * @param message Vitals message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Vitals.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a Vitals message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Vitals & wavepose.internal.v1.Vitals.$Shape} Vitals
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Vitals & wavepose.internal.v1.Vitals.$Shape;
            }

            namespace Vitals {

                /** Properties of a Vitals. */
                interface $Properties {

                    /** Vitals breathingRateBpm */
                    breathingRateBpm?: (number|null);

                    /** Vitals breathingConfidence */
                    breathingConfidence?: (number|null);

                    /** Vitals breathingReason */
                    breathingReason?: (string|null);

                    /** Vitals heartRateBpm */
                    heartRateBpm?: (number|null);

                    /** Vitals heartReason */
                    heartReason?: (string|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a Vitals. */
                type $Shape = wavepose.internal.v1.Vitals.$Properties;
            }

            /**
             * Properties of a View.
             * @deprecated Use wavepose.internal.v1.View.$Properties instead.
             */
            interface IView extends wavepose.internal.v1.View.$Properties {
            }

            /** Represents a View. */
            class View {

                /**
                 * Constructs a new View.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.View.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** View lookingAlong. */
                lookingAlong: string;

                /** View widthM. */
                widthM: number;

                /** View heightM. */
                heightM: number;

                /**
                 * Creates a new View instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns View instance
                 */
                static create(properties: wavepose.internal.v1.View.$Shape): wavepose.internal.v1.View & wavepose.internal.v1.View.$Shape;
                static create(properties?: wavepose.internal.v1.View.$Properties): wavepose.internal.v1.View;

                /**
                 * Encodes the specified View message. Does not implicitly {@link wavepose.internal.v1.View.verify|verify} messages.
                 * @param message View message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.View.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a View message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.View & wavepose.internal.v1.View.$Shape} View
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.View & wavepose.internal.v1.View.$Shape;
            }

            namespace View {

                /** Properties of a View. */
                interface $Properties {

                    /** View lookingAlong */
                    lookingAlong?: (string|null);

                    /** View widthM */
                    widthM?: (number|null);

                    /** View heightM */
                    heightM?: (number|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a View. */
                type $Shape = wavepose.internal.v1.View.$Properties;
            }

            /**
             * Properties of a Provenance.
             * @deprecated Use wavepose.internal.v1.Provenance.$Properties instead.
             */
            interface IProvenance extends wavepose.internal.v1.Provenance.$Properties {
            }

            /** Represents a Provenance. */
            class Provenance {

                /**
                 * Constructs a new Provenance.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Provenance.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Provenance source. */
                source: wavepose.v1.Source;

                /** Provenance calibrated. */
                calibrated: boolean;

                /** Provenance modelVersion. */
                modelVersion: string;

                /** Provenance linksUsed. */
                linksUsed: number;

                /** Provenance clockOffsetMs. */
                clockOffsetMs?: (number|null);

                /**
                 * Creates a new Provenance instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Provenance instance
                 */
                static create(properties: wavepose.internal.v1.Provenance.$Shape): wavepose.internal.v1.Provenance & wavepose.internal.v1.Provenance.$Shape;
                static create(properties?: wavepose.internal.v1.Provenance.$Properties): wavepose.internal.v1.Provenance;

                /**
                 * Encodes the specified Provenance message. Does not implicitly {@link wavepose.internal.v1.Provenance.verify|verify} messages.
                 * @param message Provenance message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Provenance.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a Provenance message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Provenance & wavepose.internal.v1.Provenance.$Shape} Provenance
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Provenance & wavepose.internal.v1.Provenance.$Shape;
            }

            namespace Provenance {

                /** Properties of a Provenance. */
                interface $Properties {

                    /** Provenance source */
                    source?: (wavepose.v1.Source|null);

                    /** Provenance calibrated */
                    calibrated?: (boolean|null);

                    /** Provenance modelVersion */
                    modelVersion?: (string|null);

                    /** Provenance linksUsed */
                    linksUsed?: (number|null);

                    /** Provenance clockOffsetMs */
                    clockOffsetMs?: (number|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a Provenance. */
                type $Shape = wavepose.internal.v1.Provenance.$Properties;
            }

            /**
             * Properties of a PoseFrame.
             * @deprecated Use wavepose.internal.v1.PoseFrame.$Properties instead.
             */
            interface IPoseFrame extends wavepose.internal.v1.PoseFrame.$Properties {
            }

            /** Represents a PoseFrame. */
            class PoseFrame {

                /**
                 * Constructs a new PoseFrame.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.PoseFrame.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** PoseFrame environmentId. */
                environmentId: string;

                /** PoseFrame frameId. */
                frameId: number;

                /** PoseFrame timestampMs. */
                timestampMs: number;

                /** PoseFrame processingTimeMs. */
                processingTimeMs: number;

                /** PoseFrame persons. */
                persons: wavepose.internal.v1.Person.$Properties[];

                /** PoseFrame routerCount. */
                routerCount: number;

                /** PoseFrame signalQuality. */
                signalQuality?: (number|null);

                /** PoseFrame processingPipeline. */
                processingPipeline: string;

                /** PoseFrame processingMode. */
                processingMode: string;

                /** PoseFrame presence. */
                presence?: (wavepose.internal.v1.Presence.$Properties|null);

                /** PoseFrame motion. */
                motion?: (number|null);

                /** PoseFrame capabilities. */
                capabilities: string[];

                /** PoseFrame personsReason. */
                personsReason?: (string|null);

                /** PoseFrame view. */
                view?: (wavepose.internal.v1.View.$Properties|null);

                /** PoseFrame provenance. */
                provenance?: (wavepose.internal.v1.Provenance.$Properties|null);

                /** PoseFrame vitals. */
                vitals?: (wavepose.internal.v1.Vitals.$Properties|null);

                /**
                 * Creates a new PoseFrame instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns PoseFrame instance
                 */
                static create(properties: wavepose.internal.v1.PoseFrame.$Shape): wavepose.internal.v1.PoseFrame & wavepose.internal.v1.PoseFrame.$Shape;
                static create(properties?: wavepose.internal.v1.PoseFrame.$Properties): wavepose.internal.v1.PoseFrame;

                /**
                 * Encodes the specified PoseFrame message. Does not implicitly {@link wavepose.internal.v1.PoseFrame.verify|verify} messages.
                 * @param message PoseFrame message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.PoseFrame.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a PoseFrame message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.PoseFrame & wavepose.internal.v1.PoseFrame.$Shape} PoseFrame
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.PoseFrame & wavepose.internal.v1.PoseFrame.$Shape;
            }

            namespace PoseFrame {

                /** Properties of a PoseFrame. */
                interface $Properties {

                    /** PoseFrame environmentId */
                    environmentId?: (string|null);

                    /** PoseFrame frameId */
                    frameId?: (number|null);

                    /** PoseFrame timestampMs */
                    timestampMs?: (number|null);

                    /** PoseFrame processingTimeMs */
                    processingTimeMs?: (number|null);

                    /** PoseFrame persons */
                    persons?: (wavepose.internal.v1.Person.$Properties[]|null);

                    /** PoseFrame routerCount */
                    routerCount?: (number|null);

                    /** PoseFrame signalQuality */
                    signalQuality?: (number|null);

                    /** PoseFrame processingPipeline */
                    processingPipeline?: (string|null);

                    /** PoseFrame processingMode */
                    processingMode?: (string|null);

                    /** PoseFrame presence */
                    presence?: (wavepose.internal.v1.Presence.$Properties|null);

                    /** PoseFrame motion */
                    motion?: (number|null);

                    /** PoseFrame capabilities */
                    capabilities?: (string[]|null);

                    /** PoseFrame personsReason */
                    personsReason?: (string|null);

                    /** PoseFrame view */
                    view?: (wavepose.internal.v1.View.$Properties|null);

                    /** PoseFrame provenance */
                    provenance?: (wavepose.internal.v1.Provenance.$Properties|null);

                    /** PoseFrame vitals */
                    vitals?: (wavepose.internal.v1.Vitals.$Properties|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a PoseFrame. */
                type $Shape = wavepose.internal.v1.PoseFrame.$Properties;
            }

            /**
             * Properties of a CalibrationSide.
             * @deprecated Use wavepose.internal.v1.CalibrationSide.$Properties instead.
             */
            interface ICalibrationSide extends wavepose.internal.v1.CalibrationSide.$Properties {
            }

            /** Represents a CalibrationSide. */
            class CalibrationSide {

                /**
                 * Constructs a new CalibrationSide.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.CalibrationSide.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** CalibrationSide residual. */
                residual: number;

                /** CalibrationSide blocks. */
                blocks: number;

                /**
                 * Creates a new CalibrationSide instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns CalibrationSide instance
                 */
                static create(properties: wavepose.internal.v1.CalibrationSide.$Shape): wavepose.internal.v1.CalibrationSide & wavepose.internal.v1.CalibrationSide.$Shape;
                static create(properties?: wavepose.internal.v1.CalibrationSide.$Properties): wavepose.internal.v1.CalibrationSide;

                /**
                 * Encodes the specified CalibrationSide message. Does not implicitly {@link wavepose.internal.v1.CalibrationSide.verify|verify} messages.
                 * @param message CalibrationSide message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.CalibrationSide.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a CalibrationSide message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.CalibrationSide & wavepose.internal.v1.CalibrationSide.$Shape} CalibrationSide
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.CalibrationSide & wavepose.internal.v1.CalibrationSide.$Shape;
            }

            namespace CalibrationSide {

                /** Properties of a CalibrationSide. */
                interface $Properties {

                    /** CalibrationSide residual */
                    residual?: (number|null);

                    /** CalibrationSide blocks */
                    blocks?: (number|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a CalibrationSide. */
                type $Shape = wavepose.internal.v1.CalibrationSide.$Properties;
            }

            /**
             * Properties of a LinkCalibration.
             * @deprecated Use wavepose.internal.v1.LinkCalibration.$Properties instead.
             */
            interface ILinkCalibration extends wavepose.internal.v1.LinkCalibration.$Properties {
            }

            /** Represents a LinkCalibration. */
            class LinkCalibration {

                /**
                 * Constructs a new LinkCalibration.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.LinkCalibration.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** LinkCalibration version. */
                version: number;

                /** LinkCalibration takenAtUs. */
                takenAtUs: number;

                /** LinkCalibration empty. */
                empty?: (wavepose.internal.v1.CalibrationSide.$Properties|null);

                /** LinkCalibration occupied. */
                occupied?: (wavepose.internal.v1.CalibrationSide.$Properties|null);

                /**
                 * Creates a new LinkCalibration instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns LinkCalibration instance
                 */
                static create(properties: wavepose.internal.v1.LinkCalibration.$Shape): wavepose.internal.v1.LinkCalibration & wavepose.internal.v1.LinkCalibration.$Shape;
                static create(properties?: wavepose.internal.v1.LinkCalibration.$Properties): wavepose.internal.v1.LinkCalibration;

                /**
                 * Encodes the specified LinkCalibration message. Does not implicitly {@link wavepose.internal.v1.LinkCalibration.verify|verify} messages.
                 * @param message LinkCalibration message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.LinkCalibration.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a LinkCalibration message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.LinkCalibration & wavepose.internal.v1.LinkCalibration.$Shape} LinkCalibration
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.LinkCalibration & wavepose.internal.v1.LinkCalibration.$Shape;
            }

            namespace LinkCalibration {

                /** Properties of a LinkCalibration. */
                interface $Properties {

                    /** LinkCalibration version */
                    version?: (number|null);

                    /** LinkCalibration takenAtUs */
                    takenAtUs?: (number|null);

                    /** LinkCalibration empty */
                    empty?: (wavepose.internal.v1.CalibrationSide.$Properties|null);

                    /** LinkCalibration occupied */
                    occupied?: (wavepose.internal.v1.CalibrationSide.$Properties|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a LinkCalibration. */
                type $Shape = wavepose.internal.v1.LinkCalibration.$Properties;
            }

            /**
             * Properties of a Reference.
             * @deprecated Use wavepose.internal.v1.Reference.$Properties instead.
             */
            interface IReference extends wavepose.internal.v1.Reference.$Properties {
            }

            /** Represents a Reference. */
            class Reference {

                /**
                 * Constructs a new Reference.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.Reference.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** Reference transmitterId. */
                transmitterId: string;

                /** Reference hops. */
                hops: number;

                /** Reference response. */
                response: Uint8Array;

                /** Reference layout. */
                layout?: (wavepose.v1.RadioLayout.$Properties|null);

                /** Reference calibration. */
                calibration?: (wavepose.internal.v1.LinkCalibration.$Properties|null);

                /**
                 * Creates a new Reference instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns Reference instance
                 */
                static create(properties: wavepose.internal.v1.Reference.$Shape): wavepose.internal.v1.Reference & wavepose.internal.v1.Reference.$Shape;
                static create(properties?: wavepose.internal.v1.Reference.$Properties): wavepose.internal.v1.Reference;

                /**
                 * Encodes the specified Reference message. Does not implicitly {@link wavepose.internal.v1.Reference.verify|verify} messages.
                 * @param message Reference message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.Reference.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a Reference message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.Reference & wavepose.internal.v1.Reference.$Shape} Reference
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.Reference & wavepose.internal.v1.Reference.$Shape;
            }

            namespace Reference {

                /** Properties of a Reference. */
                interface $Properties {

                    /** Reference transmitterId */
                    transmitterId?: (string|null);

                    /** Reference hops */
                    hops?: (number|null);

                    /** Reference response */
                    response?: (Uint8Array|null);

                    /** Reference layout */
                    layout?: (wavepose.v1.RadioLayout.$Properties|null);

                    /** Reference calibration */
                    calibration?: (wavepose.internal.v1.LinkCalibration.$Properties|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a Reference. */
                type $Shape = wavepose.internal.v1.Reference.$Properties;
            }

            /**
             * Properties of a References.
             * @deprecated Use wavepose.internal.v1.References.$Properties instead.
             */
            interface IReferences extends wavepose.internal.v1.References.$Properties {
            }

            /** Represents a References. */
            class References {

                /**
                 * Constructs a new References.
                 * @param [properties] Properties to set
                 */
                constructor(properties?: wavepose.internal.v1.References.$Properties);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];

                /** References references. */
                references: wavepose.internal.v1.Reference.$Properties[];

                /**
                 * Creates a new References instance using the specified properties.
                 * @param [properties] Properties to set
                 * @returns References instance
                 */
                static create(properties: wavepose.internal.v1.References.$Shape): wavepose.internal.v1.References & wavepose.internal.v1.References.$Shape;
                static create(properties?: wavepose.internal.v1.References.$Properties): wavepose.internal.v1.References;

                /**
                 * Encodes the specified References message. Does not implicitly {@link wavepose.internal.v1.References.verify|verify} messages.
                 * @param message References message or plain object to encode
                 * @param [writer] Writer to encode to
                 * @returns Writer
                 */
                static encode(message: wavepose.internal.v1.References.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

                /**
                 * Decodes a References message from the specified reader or buffer.
                 * @param reader Reader or buffer to decode from
                 * @param [length] Message length if known beforehand
                 * @returns {wavepose.internal.v1.References & wavepose.internal.v1.References.$Shape} References
                 * @throws {Error} If the payload is not a reader or valid buffer
                 * @throws {$protobuf.util.ProtocolError} If required fields are missing
                 */
                static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): wavepose.internal.v1.References & wavepose.internal.v1.References.$Shape;
            }

            namespace References {

                /** Properties of a References. */
                interface $Properties {

                    /** References references */
                    references?: (wavepose.internal.v1.Reference.$Properties[]|null);

                    /** Unknown fields preserved while decoding when enabled */
                    $unknowns?: Uint8Array[];
                }

                /** Shape of a References. */
                type $Shape = wavepose.internal.v1.References.$Properties;
            }
        }
    }
}
