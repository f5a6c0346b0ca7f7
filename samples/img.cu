/*
 * The KeSCo paper's picture pipeline, in 11 kernels. See samples/img.h for what it does, arguments, sizes,
 * exit status, and what is shared with the versions by hand.
 *
 *   blur(image -> blurred_small)          sobel(blurred_small -> mask_small)
 *   blur(image -> blurred_large)          sobel(blurred_large -> mask_large)
 *   blur(image -> blurred_unsharpen)      max(mask_large -> maximum)
 *                                         min(mask_large -> minimum)
 *   extend(minimum, maximum -> mask_large)
 *   unsharpen(image, blurred_unsharpen -> sharpened)
 *   combine(sharpened, blurred_large, mask_large -> image2)
 *   combine(image2, blurred_small, mask_small -> image3)
 *
 * The source is serial: no stream in it, and not a word for KeSCo. With KeSCo the three blurs and what
 * follows from them run beside each other.
 */
#include "samples/img.h"

static void run(struct img_data *data) {
    int width = data->width, height = data->height, channels = data->channels;
    size_t pixels = data->pixels, values = data->values;
    unsigned parts = reduction_blocks(pixels);
    dim3 block(SIDE, SIDE), grid = grid_of(data);
    FETCH(data->image, values * sizeof(float));
    blur<<<grid, block>>>(data->blurred_small, data->image, width, height, channels, small_radius,
                          small_sigma);
    AWAIT();
    blur<<<grid, block>>>(data->blurred_large, data->image, width, height, channels, large_radius,
                          large_sigma);
    AWAIT();
    blur<<<grid, block>>>(data->blurred_unsharpen, data->image, width, height, channels, unsharpen_radius,
                          unsharpen_sigma);
    AWAIT();
    sobel<<<grid, block>>>(data->mask_small, data->blurred_small, width, height, channels);
    AWAIT();
    sobel<<<grid, block>>>(data->mask_large, data->blurred_large, width, height, channels);
    AWAIT();
    max<<<parts, REDUCTION_BLOCK>>>(data->maximum, data->mask_large, pixels);
    AWAIT();
    min<<<parts, REDUCTION_BLOCK>>>(data->minimum, data->mask_large, pixels);
    AWAIT();
    extend<<<blocks_of(pixels), BLOCK>>>(data->minimum, data->maximum, data->mask_large, pixels);
    AWAIT();
    unsharpen<<<blocks_of(values), BLOCK>>>(data->sharpened, data->image, data->blurred_unsharpen, values,
                                            unsharpen_amount);
    AWAIT();
    combine<<<blocks_of(values), BLOCK>>>(data->image2, data->sharpened, data->blurred_large,
                                          data->mask_large, values, channels);
    AWAIT();
    combine<<<blocks_of(values), BLOCK>>>(data->image3, data->image2, data->blurred_small, data->mask_small,
                                          values, channels);
    AWAIT();
    CHECK(cudaGetLastError());
}
